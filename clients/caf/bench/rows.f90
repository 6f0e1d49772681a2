! Times of coarray statements: a line for each, with the median of several runs in nanoseconds. Compiled by any compiler and library.
!
!   aqueduct-caf -O2 rows.f90 -o rows && aqueduct run -n 2 ./rows
module row_operations
  use iso_fortran_env
  implicit none
  integer, parameter :: runs = 11, words = 1024
  real(8) :: times(runs)
  real(8), allocatable :: a(:)[:]
  real(8) :: scalar[*], local(words), one, big(4096)
  type(event_type) :: ready[*]
  type(lock_type) :: guard[*]
  integer(atomic_int_kind) :: counter[*], old
  integer :: me, n, right, left, i, run
contains
  subroutine row(name, rounds, operation)
    character(*), intent(in) :: name
    integer, intent(in) :: rounds
    interface
      subroutine operation
      end subroutine
    end interface
    integer(8) :: begin, finish, rate
    integer :: i
    do run = 1, runs
      sync all
      call system_clock(begin, rate)
      do i = 1, rounds
        call operation
      end do
      sync memory
      call system_clock(finish)
      times(run) = real(finish - begin, 8)/real(rate, 8)*1d9/rounds
    end do
    sync all
    if (me == 1) print '(f13.2, 2x, a)', median(times), name
  end subroutine

  pure real(8) function median(values)
    real(8), intent(in) :: values(:)
    real(8) :: sorted(size(values)), x
    integer :: i, j
    sorted = values
    do i = 2, size(sorted)
      x = sorted(i); j = i - 1
      do while (j >= 1)
        if (sorted(j) <= x) exit
        sorted(j + 1) = sorted(j); j = j - 1
      end do
      sorted(j + 1) = x
    end do
    median = sorted((size(sorted) + 1)/2)
  end function

  subroutine put_scalar
    scalar[right] = one
  end subroutine
  subroutine put_row
    a(1:128)[right] = local(1:128)
  end subroutine
  subroutine put_block
    a(1:8192)[right] = a(8193:16384)
  end subroutine
  subroutine get_scalar
    one = scalar[right]
  end subroutine
  subroutine get_row
    local(1:128) = a(1:128)[right]
  end subroutine
  subroutine get_block
    a(1:8192) = a(8193:16384)[right]
  end subroutine
  subroutine put_strided
    a(1:1023:2)[right] = local(1:512)
  end subroutine
  subroutine get_strided
    local(1:512) = a(1:1023:2)[right]
  end subroutine
  subroutine meet_all
    sync all
  end subroutine
  subroutine meet_neighbours
    if (left == right) then
      sync images(right)
    else
      sync images([left, right])
    end if
  end subroutine
  subroutine meet_memory
    sync memory
  end subroutine
  subroutine pass_event
    event post(ready[right])
    event wait(ready)
  end subroutine
  subroutine hold_lock
    lock (guard[right])
    unlock (guard[right])
  end subroutine
  subroutine add
    call atomic_add(counter[right], 1)
  end subroutine
  subroutine fetch_add
    call atomic_fetch_add(counter[1], 1, old)
  end subroutine
  subroutine look
    call atomic_ref(old, counter[right])
  end subroutine
  subroutine sum_scalar
    call co_sum(one)
    one = 1
  end subroutine
  subroutine sum_array
    call co_sum(big)
    big(1) = 1
  end subroutine
  subroutine broadcast_scalar
    call co_broadcast(one, 1)
  end subroutine
  subroutine broadcast_array
    call co_broadcast(big, 1)
  end subroutine
  subroutine reduce_scalar
    call co_reduce(old, largest)
  end subroutine
  pure integer function largest(x, y)
    integer, intent(in) :: x, y
    largest = max(x, y)
  end function
end module

program rows
  use row_operations
  implicit none
  me = this_image(); n = num_images()
  right = merge(1, me + 1, me == n); left = merge(n, me - 1, me == 1)
  allocate (a(262144)[*])
  a = me; local = me; scalar = me; big = me
  sync all

  call row('put 8 B', 20000, put_scalar)
  call row('put 1 KiB', 5000, put_row)
  call row('put 64 KiB', 300, put_block)
  call row('get 8 B', 20000, get_scalar)
  call row('get 1 KiB', 5000, get_row)
  call row('get 64 KiB', 300, get_block)
  call row('strided put of 512 words', 300, put_strided)
  call row('strided get of 512 words', 300, get_strided)
  call row('sync all', 2000, meet_all)
  call row('sync images with both neighbours', 2000, meet_neighbours)
  call row('sync memory', 5000, meet_memory)
  call row('event post and wait around the ring', 1000, pass_event)
  call row('lock and unlock at the neighbour', 2000, hold_lock)
  call row('atomic_add at the neighbour', 5000, add)
  call row('atomic_fetch_add at image 1', 2000, fetch_add)
  call row('atomic_ref at the neighbour', 5000, look)
  call row('co_sum of 8 B', 1000, sum_scalar)
  call row('co_sum of 32 KiB', 100, sum_array)
  call row('co_broadcast of 8 B', 1000, broadcast_scalar)
  call row('co_broadcast of 32 KiB', 50, broadcast_array)
  call row('co_reduce of 8 B', 1000, reduce_scalar)

end program
