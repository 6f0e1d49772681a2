! Heat in a plate: rows of it on each image, the upper edge at 100 degrees. Between two steps images exchange their outermost rows, which lie
! apart in memory, and meet the neighbours alone, not all others.
program heat
  implicit none
  integer, parameter :: columns = 64, rows = 16, steps = 400
  real(8), allocatable :: now(:, :)[:]
  real(8), allocatable :: next(:, :)
  integer, allocatable :: neighbours(:)
  real(8) :: total, change
  integer :: me, images, step

  me = this_image(); images = num_images()
  allocate (now(0:rows + 1, 0:columns + 1)[*], next(0:rows + 1, 0:columns + 1))
  now = 0
  if (me == 1) now(0, :) = 100
  next = now
  neighbours = pack([me - 1, me + 1], [me > 1, me < images])
  sync all

  do step = 1, steps
    if (me > 1) now(rows + 1, 1:columns)[me - 1] = now(1, 1:columns)
    if (me < images) now(0, 1:columns)[me + 1] = now(rows, 1:columns)
    sync images(neighbours)

    next(1:rows, 1:columns) = 0.25d0*(now(0:rows - 1, 1:columns) + now(2:rows + 1, 1:columns) &
                                      + now(1:rows, 0:columns - 1) + now(1:rows, 2:columns + 1))
    change = maxval(abs(next(1:rows, 1:columns) - now(1:rows, 1:columns)))
    sync images(neighbours)
    now(1:rows, 1:columns) = next(1:rows, 1:columns)
  end do

  total = sum(now(1:rows, 1:columns))
  call co_sum(total)
  call co_max(change)
  if (me == 1) print '(a, f0.3, a, es9.2)', 'the plate holds ', total, ', the last step changed at most ', change
end program
