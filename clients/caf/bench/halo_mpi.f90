! The halo exchange of halo.f90 by messages of MPI.
program halo_mpi
  use mpi_f08
  implicit none
  integer, parameter :: n = 512, runs = 11, rounds = 500
  real(8), allocatable, asynchronous :: f(:, :)
  real(8) :: times(runs)
  integer :: me, images, rows, columns, row, column, west, east, north, south, run, i
  integer(8) :: begin, finish, rate
  type(MPI_Datatype) :: line
  type(MPI_Request) :: requests(8)

  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, images)
  rows = int(sqrt(real(images)))
  do while (mod(images, rows) /= 0)
    rows = rows - 1
  end do
  columns = images/rows
  row = me/columns; column = mod(me, columns)
  west = rank(row, column - 1); east = rank(row, column + 1)
  north = rank(row - 1, column); south = rank(row + 1, column)

  allocate (f(0:n + 1, 0:n + 1))
  f = me
  call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, line)
  call MPI_Type_commit(line)
  do run = 1, runs
    call MPI_Barrier(MPI_COMM_WORLD)
    call system_clock(begin, rate)
    do i = 1, rounds
      call exchange
    end do
    call system_clock(finish)
    times(run) = real(finish - begin, 8)/real(rate, 8)*1d9/rounds
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  if (any(f(1:n, 0) /= west) .or. any(f(1:n, n + 1) /= east) .or. any(f(0, 1:n) /= north) .or. any(f(n + 1, 1:n) /= south)) &
    error stop 'the halo is wrong'
  if (me == 0) print '(f12.1, 2x, a, i0, a)', median(times), 'halo exchange of ', images, ' ranks of MPI'
  call MPI_Finalize
contains
  pure integer function rank(r, c)
    integer, intent(in) :: r, c
    rank = modulo(r, rows)*columns + modulo(c, columns)
  end function

  subroutine exchange
    call MPI_Irecv(f(1, n + 1), n, MPI_DOUBLE_PRECISION, east, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(f(1, 0), n, MPI_DOUBLE_PRECISION, west, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Irecv(f(n + 1, 1), 1, line, south, 3, MPI_COMM_WORLD, requests(3))
    call MPI_Irecv(f(0, 1), 1, line, north, 4, MPI_COMM_WORLD, requests(4))
    call MPI_Isend(f(1, 1), n, MPI_DOUBLE_PRECISION, west, 1, MPI_COMM_WORLD, requests(5))
    call MPI_Isend(f(1, n), n, MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, requests(6))
    call MPI_Isend(f(1, 1), 1, line, north, 3, MPI_COMM_WORLD, requests(7))
    call MPI_Isend(f(n, 1), 1, line, south, 4, MPI_COMM_WORLD, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
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
