! Columns of a field, spread over a ring of images. Each image has one more column on either side: copies of its neighbours' outermost
! ones, which the neighbours put there.
program halo
  implicit none
  integer, parameter :: height = 4, width = 3
  integer :: field(height, 0:width + 1)[*]
  integer :: me, images, left, right, i

  me = this_image(); images = num_images()
  left = merge(images, me - 1, me == 1)
  right = merge(1, me + 1, me == images)

  do i = 1, width
    field(:, i) = 10*me + i
  end do
  sync all
  field(:, width + 1)[left] = field(:, 1)
  field(:, 0)[right] = field(:, width)
  sync all

  do i = 1, images
    if (i == me) print '(a, i0, a, 5i4)', 'image ', me, ' has', field(1, :)
    sync all
  end do
end program
