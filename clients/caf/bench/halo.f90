! Halo exchange of a square field on a torus of images: each sends its first and last column and row to its four neighbours.
! Prints the median time of an exchange in nanoseconds. halo_mpi.f90 is the same by messages.
program halo
  implicit none
  integer, parameter :: n = 512, runs = 11, rounds = 500
  real(8), allocatable :: f(:, :)[:]
  real(8) :: times(runs)
  integer :: me, images, rows, columns, row, column, west, east, north, south, run, i
  integer(8) :: begin, finish, rate
  integer, allocatable :: neighbours(:)

  me = this_image(); images = num_images()
  rows = int(sqrt(real(images)))
  do while (mod(images, rows) /= 0)
    rows = rows - 1
  end do
  columns = images/rows
  row = (me - 1)/columns; column = mod(me - 1, columns)
  west = image(row, column - 1); east = image(row, column + 1)
  north = image(row - 1, column); south = image(row + 1, column)
  neighbours = distinct([west, east, north, south])

  allocate (f(0:n + 1, 0:n + 1)[*])
  f = me
  sync all
  do run = 1, runs
    sync all
    call system_clock(begin, rate)
    do i = 1, rounds
      call exchange
    end do
    call system_clock(finish)
    times(run) = real(finish - begin, 8)/real(rate, 8)*1d9/rounds
  end do
  sync all
  if (any(f(1:n, 0) /= west) .or. any(f(1:n, n + 1) /= east) .or. any(f(0, 1:n) /= north) .or. any(f(n + 1, 1:n) /= south)) &
    error stop 'the halo is wrong'
  if (me == 1) print '(f12.1, 2x, a, i0, a)', median(times), 'halo exchange of ', images, ' images'
contains
  pure integer function image(r, c)
    integer, intent(in) :: r, c
    image = modulo(r, rows)*columns + modulo(c, columns) + 1
  end function

  ! Of those who are not this image.
  function distinct(list) result(found)
    integer, intent(in) :: list(:)
    integer, allocatable :: found(:)
    integer :: k
    allocate (found(0))
    do k = 1, size(list)
      if (list(k) /= me .and. all(found /= list(k))) found = [found, list(k)]
    end do
  end function

  subroutine exchange
    f(1:n, n + 1)[west] = f(1:n, 1)
    f(1:n, 0)[east] = f(1:n, n)
    f(n + 1, 1:n)[north] = f(1, 1:n)
    f(0, 1:n)[south] = f(n, 1:n)
    sync images(neighbours)
  end subroutine

  pure real(8) function median(values)
    real(8), intent(in) :: values(:)
    integer :: k
    do k = 1, size(values)
      median = values(k)
      if (count(values < median) <= size(values)/2 .and. count(values > median) <= size(values)/2) return
    end do
  end function
end program
