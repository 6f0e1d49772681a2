! Components of derived types: allocatable ones, on other images of another size, nested, in whole and in part.
module types
  implicit none
  type inner
    integer :: tag
    real, allocatable :: values(:)
    integer, allocatable :: one
  end type
  type outer
    integer :: fixed(2:5, 3)
    type(inner), allocatable :: parts(:)
  end type
end module

program components
  use check_module
  use types
  type(inner) :: x[*]
  type(inner), allocatable :: list(:)[:]
  type(outer), allocatable :: nested[:]
  real, allocatable :: got(:)
  real :: few(3)
  integer :: me, n, right, left, i, status
  me = this_image(); n = num_images()
  right = merge(1, me + 1, me == n); left = merge(n, me - 1, me == 1)

  x%tag = me
  allocate (x%values(me + 2))
  x%values = [(10*me + i, i = 1, me + 2)]
  if (mod(me, 2) == 0) allocate (x%one, source=-me)
  sync all
  call check(x[right]%tag == right, 'a component is fetched')
  got = x[right]%values
  call check(size(got) == right + 2 .and. all(got == [(10*right + i, i = 1, right + 2)]), 'an array of another size')
  few(1:2) = x[right]%values(2:3)
  call check(all(few(1:2) == [10*right + 2, 10*right + 3]), 'part of it')
  call check(allocated(x[right]%one) .eqv. mod(right, 2) == 0, 'allocated asks the other image')
  if (mod(right, 2) == 0) call check(x[right]%one == -right, 'an allocatable scalar')
  sync all
  x[right]%values(1) = 0.5
  x[right]%values(2:3) = [7, 8]
  x[right]%tag = 100
  sync all
  call check(all(x%values(1:3) == [0.5, 7., 8.]) .and. x%tag == 100, 'parts are stored')
  sync all
  x[right]%values(1:1) = x[left]%values(3:3)
  sync all
  call check(all(x%values(1:2) == [8, 7]), 'from image to image')

  ! An image alone gives a component other sizes, and gives the old memory back. (It does so by component: gfortran 12 takes the size from a
  ! variable that it has not set where a whole object is assigned.)
  do i = 1, 100
    x%values = [real :: me, i]
    x%values = [real :: me, i, i]
  end do
  sync all
  got = x[right]%values
  call check(size(got) == 3 .and. all(got == [right, 100, 100]), 'a replaced component')

  allocate (list(3)[*])
  list(:)%tag = [1, 2, 3]*me
  allocate (list(2)%values(2), source=real(me))
  sync all
  call check(list(3)[right]%tag == 3*right, 'an element of an array of objects')
  call check(all(list(2)[right]%values == right), 'and its allocatable component')
  sync all

  allocate (nested[*])
  nested%fixed = me
  allocate (nested%parts(2))
  allocate (nested%parts(2)%values(4))
  nested%parts(2)%values = [(real(me + i), i = 1, 4)]
  sync all
  few(1:2) = nested[right]%parts(2)%values(1:4:3)
  call check(all(few(1:2) == [right + 1, right + 4]), 'a component of a component')
  few = nested[right]%fixed(2:4, 2)
  call check(all(few == right), 'an array that is not allocatable beside one that is')
  nested[right]%parts(2)%values(2:3) = -1
  sync all
  call check(all(nested%parts(2)%values == [me + 1, -1, -1, me + 4]), 'it is stored')
  sync all
  deallocate (nested%parts)
  sync all
  call check(.not. allocated(nested[right]%parts), 'what is deallocated is not there')
end program
