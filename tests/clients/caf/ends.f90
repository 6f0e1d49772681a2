! Ways to end: what the first argument says.
program ends
  use iso_fortran_env
  character(20) :: how
  integer :: status, i
  integer :: x[*]
  type(event_type) :: never[*]
  type(lock_type) :: guard[*]
  integer(atomic_int_kind) :: told[*]
  character(40) :: message
  integer, allocatable :: absent(:)[:]
  interface
    subroutine register_accessors_finish() bind(c, name='_gfortran_caf_register_accessors_finish')
    end subroutine
  end interface
  call get_command_argument(1, how)
  select case (how)
  case ('stop')
    ! One image stops early and stays reachable; the others learn of it, and the job ends with the greatest code.
    x = this_image()
    sync all
    if (this_image() == 2) stop 3
    sync all (stat=status)
    if (status /= STAT_STOPPED_IMAGE) error stop 'sync all does not say that an image has stopped'
    message = 'nothing'
    sync all (stat=status, errmsg=message)
    if (status /= STAT_STOPPED_IMAGE .or. message /= 'nothing') error stop 'a message at an address that is not its own'
    sync images(2, stat=status)
    if (status /= STAT_STOPPED_IMAGE) error stop 'sync images does not say that an image has stopped'
    if (image_status(2) /= STAT_STOPPED_IMAGE .or. image_status(1) /= 0) error stop 'image_status'
    if (size(stopped_images()) /= 1 .or. any(stopped_images() /= [2])) error stop 'stopped_images'
    if (x[2] /= 2) error stop 'a stopped image cannot be reached'
    sync images([1, (i, i=3, num_images())])
    if (this_image() == 1) print '(a)', 'the others went on'
  case ('stop-unasked')
    if (this_image() == 2) stop
    sync all
  case ('error-stop')
    if (this_image() == 2) error stop 5
    sync all
  case ('error-stop-text')
    if (this_image() == 1) error stop 'in words'
    sync images(1)
  case ('kill')
    if (this_image() == 2) call abort
    sync all
  case ('fail')
    sync all
    if (this_image() == 2) fail image
    sync all (stat=status)
    if (status /= STAT_FAILED_IMAGE) error stop 'sync all does not say that an image has failed'
    do i = 1, 3
      x = i*this_image()
      sync all (stat=status)
      if (x[merge(3, 1, this_image() == 1)] /= i*merge(3, 1, this_image() == 1)) error stop 'the others do not meet'
      sync all (stat=status)
      if (status /= STAT_FAILED_IMAGE) error stop 'sync all forgets that an image has failed'
    end do
    sync images(2, stat=status)
    if (status /= STAT_FAILED_IMAGE) error stop 'sync images does not say that an image has failed'
    if (image_status(2) /= STAT_FAILED_IMAGE .or. any(failed_images() /= [2])) error stop 'failed_images'
    call co_sum(x, stat=status)
    if (status /= STAT_FAILED_IMAGE) error stop 'co_sum does not say that an image has failed'
    sync images([1, (i, i=3, num_images())])
    if (this_image() == 1) print '(a)', 'the others went on'
  case ('no-image')
    ! In the middle of a statement that holds a unit.
    print *, x[99]
  case ('not-allocated')
    print *, absent(1)[1]
  case ('too-large')
    allocate (absent(10_8**12)[*], stat=status, errmsg=message)
    if (status == 0 .or. message(1:17) /= 'no room for 40000') error stop 'stat= and errmsg= of what does not fit'
    allocate (absent(10_8**12)[*])
  case ('later-compiler')
    call register_accessors_finish
  case ('hang')
    ! Nobody posts what image 2 waits for.
    if (this_image() == 2) event wait(never)
    sync images(2)
  case ('hang-lock', 'hang-critical', 'hang-until')
    call hang_with(how)
  case ('fail-unasked')
    sync all
    if (this_image() == 2) fail image
    sync all
  case default
    print '(a, i0)', 'the end of image ', this_image()
  end select
contains
  ! Image 2 has what the others want, and waits for an event that nobody posts.
  subroutine hang_with(what)
    character(*), intent(in) :: what
    integer :: value
    select case (what)
    case ('hang-until')
      if (this_image() == 1) event post(never[2])
      sync all
      if (this_image() == 2) event wait(never, until_count=3)
      sync images(2)
    case ('hang-lock')
      if (this_image() == 2) then
        lock (guard[1])
        sync all
        event wait(never)
      end if
      sync all
      lock (guard[1])
    case ('hang-critical')
      call atomic_define(told, 0)
      sync all
      if (this_image() /= 2) then
        do
          call atomic_ref(value, told[2])
          if (value == 1) exit
        end do
      end if
      critical
        call atomic_define(told, 1)
        if (this_image() == 2) then
          do
            call atomic_ref(value, told[2])
            if (value == 2) exit
          end do
        end if
      end critical
    end select
  end subroutine
end program
