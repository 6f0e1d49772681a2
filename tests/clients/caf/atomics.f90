! All atomic subroutines on integers and logicals, many images on one word.
program atomics
  use check_module
  use iso_fortran_env
  integer(atomic_int_kind) :: word[*], words(3)[*]
  integer(8) :: long[*]
  logical(atomic_logical_kind) :: flag[*]
  integer(atomic_int_kind) :: old, i
  integer :: me, n, next, status
  logical(atomic_logical_kind) :: was
  me = this_image(); n = num_images(); next = merge(1, me + 1, me == n)
  call atomic_define(word, 0)
  call atomic_define(words(2), 6)
  call atomic_define(flag, .false._4)
  sync all
  do i = 1, 100
    call atomic_add(word[1], 1)
    call atomic_fetch_add(word[1], 2, old)
    call check(old < 300*n, 'a sum that others add to, too')
  end do
  sync all
  call atomic_ref(old, word[1], status)
  call check(old == 300*n .and. status == 0, 'no addition is lost')
  sync all
  if (me == 1) then
    call atomic_define(words(2)[next], 12)
    call atomic_fetch_and(words(2)[next], 10, old)
    call check(old == 12, 'fetch_and')
    call atomic_fetch_or(words(2)[next], 3, old)
    call check(old == 8, 'fetch_or')
    call atomic_fetch_xor(words(2)[next], 1, old)
    call check(old == 11, 'fetch_xor')
    call atomic_and(words(2)[next], 14)
    call atomic_or(words(2)[next], 1)
    call atomic_xor(words(2)[next], 15)
    call atomic_ref(old, words(2)[next])
    call check(old == 4, 'and, or, xor')
    call atomic_cas(words(2)[next], old, 5, 6)
    call check(old == 4, 'a comparison that fails changes nothing')
    call atomic_cas(words(2)[next], old, 4, 6)
    call atomic_ref(old, words(2)[next])
    call check(old == 6, 'a comparison that succeeds')
    call atomic_define(flag[next], .true._4)
  end if
  if (me == next .or. (me == 2 .and. n > 1)) then
    do
      call atomic_ref(was, flag)
      if (was) exit
    end do
  end if
  sync all
  call atomic_define(word, 0)
  sync all
  ! Each image has its turn.
  do
    call atomic_ref(old, word[1])
    if (old == me - 1) exit
  end do
  call atomic_cas(word[1], old, me - 1, me)
  call check(old == me - 1, 'a turn')
  sync all
  call atomic_ref(old, word[1])
  call check(old == n, 'all had their turns')
end program
