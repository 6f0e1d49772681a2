! A lock that all images want all the time is given to each in its turn, wherever it lies.
program locks
  use check_module
  use iso_fortran_env
  integer, parameter :: rounds = 15
  type(lock_type) :: guard[*]
  integer :: taken[*], before, passed(rounds), i
  logical :: got
  integer(8) :: sum[*]

  taken = 0; sum = 0
  sync all
  do i = 1, rounds
    before = taken[1]
    lock (guard[1])
    passed(i) = taken[1] - before
    taken[1] = taken[1] + 1
    unlock (guard[1])
  end do
  sync all
  call check(taken[1] == rounds*num_images(), 'a lock excludes')
  ! Between the look and the request a few others may come; an image that was passed over again and again would see hundreds.
  call check(median(passed) <= 6*num_images(), 'an image that waits is not passed over')

  ! More than there are tickets, with attempts in between.
  do i = 1, 33000
    if (this_image() /= 1) exit
    lock (guard)
    if (mod(i, 100) == 0) then
      lock (guard, acquired_lock=got, stat=before)
      call check(before == STAT_LOCKED, 'a lock that this image has')
    end if
    unlock (guard)
    lock (guard, acquired_lock=got)
    call check(got, 'an attempt at a free lock')
    unlock (guard)
  end do
  sync all
  do i = 1, 5
    do
      lock (guard[num_images()], acquired_lock=got)
      if (got) exit
    end do
    sum[1] = sum[1] + this_image()
    unlock (guard[num_images()])
  end do
  sync all
  call check(sum[1] == 5*num_images()*(num_images() + 1)/2, 'attempts exclude as well')
contains
  pure integer function median(values)
    integer, intent(in) :: values(:)
    integer :: k
    do k = 1, size(values)
      median = values(k)
      if (count(values < median) <= size(values)/2 .and. count(values > median) <= size(values)/2) return
    end do
  end function
end program
