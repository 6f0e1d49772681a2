! Each image adds up its part of a sum, and co_sum adds up the images' parts.
program pi
  implicit none
  integer, parameter :: wide = selected_real_kind(15)
  integer, parameter :: steps = 1000000
  real(wide) :: x, total
  integer :: i

  total = 0
  do i = this_image(), steps, num_images()
    x = (i - 0.5_wide)/steps
    total = total + 4/(1 + x**2)/steps
  end do
  call co_sum(total, result_image=1)
  if (this_image() == 1) print '(a, f12.10)', 'pi is ', total
end program
