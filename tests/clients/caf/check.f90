! What the tests of coarrays share: a check that names itself, on whichever image it fails.
module check_module
  use iso_fortran_env, only: error_unit
  implicit none
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(a, i0, 2a)') 'image ', this_image(), ': not so: ', what
    error stop 9
  end subroutine
end module
