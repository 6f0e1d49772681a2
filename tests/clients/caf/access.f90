! Static and allocatable coarrays; scalars and rows, to neighbours and to oneself, in the order of the program.
program access
  use check_module
  integer :: scalar[*], row(8)[*]
  integer :: initial[*] = 17
  real(8), allocatable :: table(:, :)[:]
  character(5) :: text[*]
  logical :: truth[*]
  integer :: me, n, right, left, i, got, status
  character(40) :: message
  me = this_image(); n = num_images()
  right = merge(1, me + 1, me == n); left = merge(n, me - 1, me == 1)

  call check(initial[right] == 17, 'a static coarray has its first value on all images when the program begins')
  scalar = me
  row = [(10*me + i, i = 1, 8)]
  sync all
  call check(scalar[right] == right, 'a scalar is fetched')
  call check(all(row(3:6)[left] == [(10*left + i, i = 3, 6)]), 'a row is fetched')
  sync all
  scalar[right] = -me
  row(2:4)[right] = [7, 8, 9]*me
  sync all
  call check(scalar == -left, 'a scalar is stored')
  call check(all(row == [10*me + 1, 7*left, 8*left, 9*left, 10*me + 5, 10*me + 6, 10*me + 7, 10*me + 8]), 'a row is stored')
  sync all

  ! What one image does to the same bytes happens in its order.
  do i = 1, 100
    scalar[right] = i
    got = scalar[right]
    call check(got == i, 'a get sees the puts before it')
    row(1:4)[right] = i
    row(2:3)[right] = -i
    call check(all(row(1:4)[right] == [i, -i, -i, i]), 'the later of two puts stays')
  end do
  sync all
  row = [(i, i = 1, 8)]
  row(2:6)[me] = row(1:5)
  call check(all(row == [1, 1, 2, 3, 4, 5, 7, 8]), 'overlapping rows of one image')

  allocate (table(6, 5)[*], stat=status)
  call check(status == 0, 'allocate says 0')
  table = me
  sync all
  table(:, 2)[right] = [1, 2, 3, 4, 5, 6]
  table(6, :)[right] = 0.5d0
  sync all
  call check(all(table(1:5, 2) == [1, 2, 3, 4, 5]) .and. all(table(6, :) == 0.5d0), 'a column and a line are stored')
  call check(all(table(1:5, 1)[left] == left), 'others keep their values')
  sync all
  table(1:2, 1)[right] = table(3:4, 2)[left]
  sync all
  call check(all(table(1:2, 1) == [3, 4]), 'from one image to another')
  deallocate (table)
  allocate (table(1000, 1000)[*])
  table(1000, 1000)[right] = me
  sync all
  call check(table(1000, 1000) == left, 'a coarray that was allocated again')

  text = 'x'
  truth = .false.
  sync all
  text[right] = 'ab'
  truth[right] = .true.
  sync all
  call check(text == 'ab   ' .and. truth, 'characters are padded, logicals stored')

  ! Half of the segment is for coarrays: there is no such room.
  call exhaust
contains
  subroutine exhaust
    integer(8), allocatable :: huge_one(:)[:]
    integer :: status
    character(60) :: message
    allocate (huge_one(2_8**50)[*], stat=status, errmsg=message)
    call check(status /= 0 .and. index(message, 'no room') == 1, 'allocate says why it fails')
  end subroutine
end program
