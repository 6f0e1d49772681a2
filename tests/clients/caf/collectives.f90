! co_sum, co_min, co_max, co_broadcast and co_reduce, of all types, of sections, to one image and to all.
module operations
  implicit none
  type pair
    real(8) :: x(3)
    integer :: which
  end type
contains
  pure integer function product_of(a, b)
    integer, intent(in) :: a, b
    product_of = a*b
  end function
  pure integer(8) function long_by_value(a, b)
    integer(8), value :: a, b
    long_by_value = a + b
  end function
  pure complex(8) function complex_product(a, b)
    complex(8), intent(in) :: a, b
    complex_product = a*b
  end function
  pure logical function both(a, b)
    logical, intent(in) :: a, b
    both = a .and. b
  end function
  pure function later(a, b)
    character(*), intent(in) :: a, b
    character(3) :: later
    later = merge(a, b, a > b)
  end function
  pure type(pair) function larger(a, b)
    type(pair), intent(in) :: a, b
    larger = b
    if (a%x(1) > b%x(1)) larger = a
  end function
end module

program collectives
  use check_module
  use operations
  integer :: i, me, n, table(6, 4), factorial, status
  integer(1) :: tiny
  integer(8) :: long
  real(4) :: single
  real(8) :: double(1000)
  complex(8) :: z
  character(3) :: text
  logical :: truth
  type(pair) :: p
  character(30) :: message
  me = this_image(); n = num_images()

  i = me; call co_sum(i)
  call check(i == n*(n + 1)/2, 'co_sum of an integer')
  tiny = int(me, 1); call co_sum(tiny)
  call check(tiny == n*(n + 1)/2, 'co_sum of a small integer')
  double = me; call co_sum(double, stat=status)
  call check(all(double == n*(n + 1)/2) .and. status == 0, 'co_sum of an array')
  z = (1, 2); call co_sum(z)
  call check(z == n*(1, 2), 'co_sum of complex numbers')
  i = me; call co_sum(i, result_image=n)
  if (me == n) call check(i == n*(n + 1)/2, 'co_sum to one image')
  table = 0; table(2:6:2, :) = me
  call co_sum(table(2:6:2, 1:3))
  call check(all(table(2:6:2, 1:3) == n*(n + 1)/2) .and. all(table(1:5:2, :) == 0) .and. all(table(2:6:2, 4) == me), &
             'co_sum of a section')
  i = me; call co_min(i)
  call check(i == 1, 'co_min')
  single = me; call co_max(single)
  call check(single == n, 'co_max of reals')
  text = 'a'//achar(96 + me); call co_max(text)
  call check(text == 'a'//achar(96 + n), 'co_max of characters')
  text = 'a'//achar(96 + me); call co_min(text, result_image=1)
  if (me == 1) call check(text == 'aa', 'co_min of characters')

  double = merge(7d0, 0d0, me == n); call co_broadcast(double, n)
  call check(all(double == 7), 'co_broadcast')
  table = me; call co_broadcast(table(1:6:5, 2), 1)
  call check(all(table(1:6:5, 2) == 1) .and. all(table(2:5, 2) == me), 'co_broadcast of a section')
  p%which = me; p%x = me; call co_broadcast(p, n)
  call check(p%which == n .and. all(p%x == n), 'co_broadcast of an object')
  message = 'nothing'
  call co_broadcast(i, n + 1, status, message)
  call check(status /= 0 .and. message == 'nothing', 'co_broadcast from nowhere')

  factorial = me; call co_reduce(factorial, product_of)
  call check(factorial == product([(i, i=1, n)]), 'co_reduce')
  long = me; call co_reduce(long, long_by_value)
  call check(long == n*(n + 1)/2, 'co_reduce by values')
  z = (0, 1); call co_reduce(z, complex_product, result_image=1)
  if (me == 1) call check(z == (0, 1)**n, 'co_reduce of complex numbers')
  truth = me /= 2; call co_reduce(truth, both)
  call check(truth .eqv. n < 2, 'co_reduce of logicals')
  text = 'b'//achar(96 + me); call co_reduce(text, later)
  call check(text == 'b'//achar(96 + n), 'co_reduce of characters')
  p%x = -me; p%which = me; call co_reduce(p, larger)
  call check(p%which == 1, 'co_reduce of objects')
end program
