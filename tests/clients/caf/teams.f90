! Teams: numbers, barriers, coarrays and collectives of their own, inside each other.
program teams
  use check_module
  use iso_fortran_env
  type(team_type) :: halves, pairs
  integer :: me, n, half, k, total, i
  integer :: whole[*]
  integer, allocatable :: part(:)[:], after[:]
  me = this_image(); n = num_images()
  half = merge(1, 2, me <= n/2 .or. n == 1)
  whole = me
  sync all
  form team(half, halves)
  do i = 1, 2
    change team(halves)
      call check(team_number() == half, 'the number of a team')
      k = merge(n/2, n - n/2, half == 1)
      if (n == 1) k = 1
      call check(num_images() == k, 'its size')
      call check(this_image() == merge(me, me - n/2, half == 1), 'numbers begin at 1 in each')
      call check(whole[this_image()] == me, 'a coarray of before, with images of the team')
      ! Teams allocate different sizes at the same time.
      allocate (part(10*half)[*])
      part = me
      sync all
      call check(all(part(:)[num_images()] == merge(n/2, n, half == 1 .and. n > 1)), 'a coarray of the team')
      total = 1
      call co_sum(total)
      call check(total == num_images(), 'a collective of the team')
      form team(this_image(), pairs)
      change team(pairs)
        call check(num_images() == 1 .and. this_image() == 1, 'a team inside a team')
        sync all
      end team
      sync team(halves)
      deallocate (part)
    end team
    call check(num_images() == n .and. this_image() == me, 'back in the first team')
  end do
  allocate (after[*])
  after = me
  sync all
  call check(after[n] == n .and. after[1] == 1, 'all images allocate at the same place again')
end program
