! sync all, sync images in all forms, events, locks and critical sections.
program synchronisation
  use check_module
  use iso_fortran_env
  integer :: value[*], counter[*]
  type(event_type) :: ready[*], places(3)[*]
  type(lock_type) :: guard[*], guards(2, 2)[*]
  integer :: me, n, right, left, i, count, status
  logical :: got
  me = this_image(); n = num_images()
  right = merge(1, me + 1, me == n); left = merge(n, me - 1, me == 1)

  value = 0; counter = 0
  sync all
  ! A ring of neighbours who meet in pairs.
  do i = 1, 50
    value[right] = i*me
    sync images([left, right], stat=status)
    call check(status == 0 .and. value == i*left, 'sync images orders what came before')
    sync images([right, left])
  end do
  ! Everybody with the first.
  if (me == 1) then
    value = 4711
    sync images(*)
  else
    sync images(1)
    call check(value[1] == 4711, 'sync images(*) meets each one')
  end if
  sync all
  sync images([integer ::])
  sync images([1, 1], stat=status)
  call check(status /= 0, 'an image that is named twice')
  sync images(n + 1, stat=status)
  call check(status /= 0, 'an image that there is not')

  event post(ready[right])
  event wait(ready)
  call event_query(ready, count)
  call check(count == 0, 'waiting takes the count away')
  do i = 1, 20
    value[right] = 1000*me + i
    event post(places(2)[right])
    event wait(places(2))
    call check(value == 1000*left + i, 'what was put before the post has arrived')
    event post(places(3)[left])
    event wait(places(3))
  end do
  do i = 1, n
    event post(ready[i])
  end do
  event wait(ready, until_count=n)
  call event_query(ready, count, stat=status)
  call check(count == 0 .and. status == 0, 'until_count waits for all')

  do i = 1, 20
    lock (guard[1])
    counter[1] = counter[1] + 1
    unlock (guard[1])
    critical
      value[1] = value[1] + 1
    end critical
  end do
  sync all
  call check(counter[1] == 20*n, 'a lock excludes')
  lock (guards(2, 1)[me])
  lock (guards(2, 1)[me], stat=status)
  call check(status == STAT_LOCKED, 'a lock that this image has')
  sync all
  lock (guards(2, 1)[right], acquired_lock=got)
  call check(.not. got .or. n == 1, 'a lock that another image has')
  unlock (guards(2, 1)[right], stat=status)
  call check(status == STAT_LOCKED_OTHER_IMAGE .or. n == 1, 'unlocking what another image has locked')
  sync all
  if (n > 1) unlock (guards(2, 1)[me])
  unlock (guards(2, 1)[me], stat=status)
  call check(status /= 0, 'unlocking what is not locked')
  sync memory (stat=status)
  call check(status == 0, 'sync memory says 0')
end program
