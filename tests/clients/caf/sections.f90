! Strided sections, vector subscripts, scalars spread over arrays, and conversions of type, to another image and from it.
program sections
  use check_module
  integer :: a(0:9)[*], m(4:8, 2:7)[*]
  real(8) :: r(10)[*]
  complex(4) :: c(3)[*]
  character(4) :: t(3)[*]
  character(4, kind=4) :: wide[*]
  integer(1) :: small(5)[*]
  integer :: me, n, right, left, i, v(3), got(3), local(10), b(3, 2)
  me = this_image(); n = num_images()
  right = merge(1, me + 1, me == n); left = merge(n, me - 1, me == 1)

  a = -1; m = reshape([(i, i = 1, 30)], [5, 6])
  sync all
  a(1:9:2)[right] = [1, 2, 3, 4, 5]
  a(8:0:-4)[right] = [80, 40, 0]
  sync all
  call check(all(a == [0, 1, -1, 2, 40, 3, -1, 4, 80, 5]), 'strides, forward and back')
  sync all
  a(:)[right] = 3
  sync all
  call check(all(a == 3), 'a scalar to all elements')
  sync all
  v = [7, 1, 4]
  a(v)[right] = [70, 10, 40]
  sync all
  call check(all(a == [3, 10, 3, 3, 40, 3, 3, 70, 3, 3]), 'a vector subscript stores')
  got = a(v)[left]
  call check(all(got == [70, 10, 40]), 'a vector subscript fetches')
  sync all
  a(v)[right] = 5
  sync all
  call check(a(7) == 5 .and. a(1) == 5 .and. a(4) == 5 .and. a(0) == 3, 'a scalar to a vector subscript')

  b = m(5:7, 3:5:2)[right]
  call check(all(b == m(5:7, 3:5:2)), 'part of a matrix is fetched')
  got(1:2) = m([4, 8], 6)[right]
  call check(all(got(1:2) == [21, 25]), 'a vector subscript beside an index')
  b(1:2, :) = m([8, 4], 2:3)[right]
  call check(all(b(1:2, :) == reshape([5, 1, 10, 6], [2, 2])), 'a vector subscript beside a triplet')
  sync all
  m(5, :)[right] = m(6, :)
  m(8, 2:7:2)[right] = m(4, 2:7:2)[left]
  sync all
  call check(all(m(5, :) == [3, 8, 13, 18, 23, 28]), 'a line is stored')
  call check(all(m(8, 2:7:2) == [1, 11, 21]), 'a strided line from image to image')

  sync all
  r(:)[right] = 2
  r(2:4)[right] = [1, 2, 3]
  c(:)[right] = 1.5d0
  small(:)[right] = [1.9d0, -1.9d0, 3d0, 4d0, 5d0]
  sync all
  call check(all(r == [2, 1, 2, 3, 2, 2, 2, 2, 2, 2]), 'integers become reals')
  call check(all(c == (1.5, 0.)), 'reals become complex')
  call check(all(small == [1, -1, 3, 4, 5]), 'reals become integers')
  local = r(:)[left]
  call check(all(local == [2, 1, 2, 3, 2, 2, 2, 2, 2, 2]), 'reals are fetched as integers')
  local(1:9:2) = small(:)[left]
  call check(all(local(1:9:2) == [1, -1, 3, 4, 5]) .and. local(2) == 1, 'small integers into a strided array')

  sync all
  t(:)[right] = 'z'
  t(2:3)[right] = ['abcdef', 'ghijkl']
  wide[right] = 'ab'
  sync all
  call check(all(t == ['z   ', 'abcd', 'ghij']), 'characters are padded and cut')
  call check(wide == 4_'ab  ', 'characters become wide')
end program
