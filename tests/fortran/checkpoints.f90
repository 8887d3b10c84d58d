! Checkpoints through the Fortran module: values of every type, sections of arrays, allocatables with their bounds.
program checkpoints
  use, intrinsic :: iso_c_binding
  use adtape
  use support
  implicit none
  type(adtape_store) :: s, files

  call store_create_memory(s, 0_c_int64_t)
  call scalars_and_arrays_come_back()
  call sections_that_are_not_contiguous_come_back()
  call allocatables_come_back_with_bounds_and_state()
  call mismatch_is_a_status_and_changes_nothing()
  call sections_are_listed_and_found()
  call store_destroy(s)
  call store_create_files(files, '/tmp', flags=ADTAPE_STORE_COMPRESS)
  call store_create_memory(s, 100000_c_int64_t, files)
  call store_destroy(files)
  call scalars_and_arrays_come_back()
  call allocatables_come_back_with_bounds_and_state()
  call checkpoints_are_listed_and_removed()
  call store_destroy(s)
  call missing_directory_is_a_status()
  call damaged_file_is_a_status_and_the_old_one_is_read_again()
  call run_that_is_in_use_and_swapped_files_are_refused()
  call finish('checkpoints')

contains

  subroutine scalars_and_arrays_come_back()
    type(adtape_checkpoint) :: c
    integer(1) :: i1
    integer(4) :: i4
    integer(8) :: i8
    real(4) :: r4
    real(8) :: r8, x(1000)
    complex(8) :: z
    logical :: l
    character(11) :: text
    integer(4) :: m(3,4)
    integer :: i
    i1 = 7; i4 = -8; i8 = 9000000000_8; r4 = 0.5; r8 = 1.25d0; z = (1.0d0, -2.0d0); l = .true.; text = 'hello there'
    x = [(i*0.5d0, i = 1, 1000)]
    m = reshape([(i, i = 1, 12)], [3, 4])
    call checkpoint_create(c, s, 'values  ')
    call checkpoint_write(c, 'i1', i1)
    call checkpoint_write(c, 'i4', i4)
    call checkpoint_write(c, 'i8', i8)
    call checkpoint_write(c, 'r4', r4)
    call checkpoint_write(c, 'r8', r8)
    call checkpoint_write(c, 'z', z)
    call checkpoint_write(c, 'l', l)
    call checkpoint_write(c, 'text', text)
    call checkpoint_write(c, 'x', x)
    call checkpoint_write(c, 'm', m)
    call checkpoint_commit(c)
    call check(.not. c_associated(c%handle), 'a committed checkpoint has the NULL handle')
    i1 = 0; i4 = 0; i8 = 0; r4 = 0; r8 = 0; z = 0; l = .false.; text = ''; x = 0; m = 0
    call checkpoint_open(c, s, 'values')
    call checkpoint_read(c, 'i1', i1)
    call checkpoint_read(c, 'i4', i4)
    call checkpoint_read(c, 'i8', i8)
    call checkpoint_read(c, 'r4', r4)
    call checkpoint_read(c, 'r8', r8)
    call checkpoint_read(c, 'z', z)
    call checkpoint_read(c, 'l', l)
    call checkpoint_read(c, 'text', text)
    call checkpoint_read(c, 'x', x)
    call checkpoint_read(c, 'm', m)
    call checkpoint_close(c)
    call check(i1 == 7 .and. i4 == -8 .and. i8 == 9000000000_8, 'integers come back')
    call check(abs(r4 - 0.5) < 1e-7 .and. abs(r8 - 1.25d0) < 1d-15, 'reals come back')
    call check(abs(z - (1.0d0, -2.0d0)) < 1d-15 .and. l .and. text == 'hello there', 'others come back')
    call check(abs(x(1000) - 500) < 1d-12 .and. all(m == reshape([(i, i = 1, 12)], [3, 4])), 'arrays come back')
  end subroutine

  subroutine sections_that_are_not_contiguous_come_back()
    type(adtape_checkpoint) :: c
    integer(c_int32_t) :: status
    real(8) :: a(10, 8), b(5, 8)
    integer :: i
    a = reshape([(i*1d0, i = 1, 80)], [10, 8])
    call checkpoint_create(c, s, 'sections')
    call checkpoint_write(c, 'odd rows', a(1:10:2, :))
    call checkpoint_write(c, 'backwards', a(10:1:-1, 3))
    call checkpoint_commit(c)
    b = 0
    call checkpoint_open(c, s, 'sections')
    call checkpoint_read(c, 'odd rows', a(1:8, 1:5), stat=status)
    call check(status == ADTAPE_STATUS_MISMATCH, 'another shape is a mismatch')
    call checkpoint_read(c, 'odd rows', b)
    call check(all(abs(b - a(1:10:2, :)) < 1d-15), 'a section is read into an array')
    call checkpoint_read(c, 'backwards', a(:, 1))
    call check(all(abs(a(:, 1) - a(10:1:-1, 3)) < 1d-15), 'elements come in the order of the section')
    call checkpoint_close(c)
  end subroutine

  subroutine allocatables_come_back_with_bounds_and_state()
    type(adtape_checkpoint) :: c
    real(c_double), allocatable :: u(:,:), none(:), moved(:)
    integer(c_int32_t), allocatable :: ids(:)
    complex(c_double_complex), allocatable :: z(:,:,:)
    integer :: i
    allocate (u(-1:1, 5:8), ids(0:9), z(2, 2, 2), moved(3:4))
    u = reshape([(i*1d0, i = 1, 12)], [3, 4])
    ids = [(i, i = 1, 10)]
    z = (3.0d0, 4.0d0)
    moved = 5
    call checkpoint_create(c, s, 'allocatables')
    call checkpoint_write_allocatable(c, 'u', u)
    call checkpoint_write_allocatable(c, 'none', none)
    call checkpoint_write_allocatable(c, 'ids', ids)
    call checkpoint_write_allocatable(c, 'z', z)
    call checkpoint_write_allocatable(c, 'moved', moved)
    call checkpoint_commit(c)
    deallocate (u, moved)
    allocate (none(100), moved(7))  ! was not allocated; had other bounds
    ids = 0
    z = 0
    call checkpoint_open(c, s, 'allocatables')
    call checkpoint_read_allocatable(c, 'u', u)
    call checkpoint_read_allocatable(c, 'none', none)
    call checkpoint_read_allocatable(c, 'ids', ids)
    call checkpoint_read_allocatable(c, 'z', z)
    call checkpoint_read_allocatable(c, 'moved', moved)
    call checkpoint_close(c)
    call check(all(lbound(u) == [-1, 5]) .and. all(ubound(u) == [1, 8]), 'bounds come back')
    call check(abs(u(1, 8) - 12) < 1d-15 .and. .not. allocated(none), 'values and state come back')
    call check(lbound(ids, 1) == 0 .and. ids(9) == 10 .and. all(abs(z - (3.0d0, 4.0d0)) < 1d-15), 'other kinds do, too')
    call check(lbound(moved, 1) == 3 .and. size(moved) == 2, 'other bounds are replaced')
  end subroutine

  subroutine mismatch_is_a_status_and_changes_nothing()
    type(adtape_checkpoint) :: c
    type(adtape_section) :: section
    integer(c_int32_t) :: status
    real(8) :: x(3)
    real(c_double), allocatable :: a(:), b(:,:)
    x = 1
    allocate (a(2))
    a = 7
    call checkpoint_create(c, s, 'mismatch')
    call checkpoint_write(c, 'velocity', x)
    call checkpoint_write_allocatable(c, 'a', a)
    call checkpoint_commit(c)
    call checkpoint_open(c, s, 'mismatch')
    call checkpoint_read(c, 'velocity', x(1:2), stat=status)
    call check(status == ADTAPE_STATUS_MISMATCH, 'another count is a mismatch')
    call check(index(adtape_error_message(), '3 values of f64') > 0, 'the message says what is there')
    call check(index(adtape_error_message(), '2 values of f64') > 0, 'the message says what is asked for')
    call checkpoint_read_allocatable(c, 'velocity', a, stat=status)
    call check(status == ADTAPE_STATUS_MISMATCH .and. size(a) == 2, 'no allocatable: a mismatch')
    call checkpoint_next(c, section, skip=1_8)
    call checkpoint_read_allocatable(c, 'a', b, stat=status)
    call check(status == ADTAPE_STATUS_MISMATCH .and. .not. allocated(b), 'another rank is a mismatch')
    call checkpoint_close(c)
    call checkpoint_open(c, s, 'nothing', stat=status)
    call check(status == ADTAPE_STATUS_NOT_FOUND .and. .not. c_associated(c%handle), 'what is not there is not found')
  end subroutine

  subroutine sections_are_listed_and_found()
    type(adtape_checkpoint) :: c
    type(adtape_section) :: section
    integer(c_int32_t) :: status
    integer :: n
    real(8) :: r8
    call checkpoint_open(c, s, 'values')
    n = 0
    call checkpoint_next(c, section)
    do
      if (.not. c_associated(section%name)) exit
      n = n + 1
      if (adtape_text(section%name) == 'm') then
        call check(section%rank == 2 .and. section%extents(1) == 3 .and. section%extents(2) == 4, 'the shape is known')
        call check(section%type_code == ADTAPE_TYPE_I32 .and. section%kind == ADTAPE_SECTION_VALUES, 'so is the type')
      end if
      call checkpoint_next(c, section, skip=1_8)
    end do
    call check(n == 10, 'every section is listed')
    call checkpoint_find(c, 'r8')
    call checkpoint_read(c, 'r8', r8)
    call check(abs(r8 - 1.25d0) < 1d-15, 'a section is found by its name')
    call checkpoint_find(c, 'r9', stat=status)
    call check(status == ADTAPE_STATUS_NOT_FOUND, 'or not')
    call checkpoint_close(c)
  end subroutine

  subroutine checkpoints_are_listed_and_removed()
    character(100), allocatable :: names(:)
    call store_list(s, names)
    call check(size(names) == 2, 'both are listed')
    call check(names(1) == 'allocatables' .and. names(2) == 'values', 'in order')
    call store_remove(s, 'values')
    call store_trim(s)
    call store_list(s, names)
    call check(size(names) == 1, 'one is left')
  end subroutine

  subroutine missing_directory_is_a_status()
    integer(c_int32_t) :: status
    call store_create_files(s, '/nowhere/at/all', run='run', rank=1, stat=status)
    call check(status == ADTAPE_STATUS_IO .and. .not. c_associated(s%handle), 'there is no such directory')
  end subroutine

  ! One bit changed in each part of the file, the version, and the file cut off.
  subroutine damaged_file_is_a_status_and_the_old_one_is_read_again()
    character(*), parameter :: path = '/tmp/adtape-fortran-damaged.r0.a.adtape'
    integer(8), parameter :: places(4) = [1_8, 100_8, 4200_8, 12100_8]
    integer(1), allocatable :: bytes(:), changed(:)
    integer(8) :: length
    integer :: i, unit
    call store_create_files(s, '/tmp', run='adtape-fortran-damaged', rank=0, flags=ADTAPE_STORE_NO_SYNC)
    call write_a()
    open (newunit=unit, file=path, access='stream', form='unformatted', status='old', action='read')
    inquire (unit, size=length)
    allocate (bytes(length))
    read (unit) bytes
    close (unit)
    call check(length > places(4), 'the file is as long as expected')
    do i = 1, size(places)
      changed = bytes
      changed(places(i)) = ieor(changed(places(i)), 4_1)
      call replace(changed)
      call refuses_a(ADTAPE_STATUS_DAMAGED)
    end do
    call replace(bytes(:length/2))
    call refuses_a(ADTAPE_STATUS_DAMAGED)
    call replace(bytes(:0))
    call refuses_a(ADTAPE_STATUS_DAMAGED)
    changed = bytes
    changed(9) = 3 ! the version, and the header's checksum in its last four bytes
    changed(4093:4096) = transfer(crc32(changed(:4092)), [0_1])
    call replace(changed)
    call refuses_a(ADTAPE_STATUS_OTHER_VERSION)
    call replace(bytes)
    call read_a()
    call store_remove(s, 'a')
    call store_destroy(s)
  end subroutine

  subroutine run_that_is_in_use_and_swapped_files_are_refused()
    integer(c_int32_t), parameter :: kinds(2) = [0, ADTAPE_STORE_ONE_FILE]
    type(adtape_store) :: other
    integer(c_int32_t) :: status
    integer :: i
    do i = 1, 2
      call store_create_files(s, '/tmp', run='adtape-fortran-used', rank=0, flags=kinds(i))
      call store_create_files(other, '/tmp', run='adtape-fortran-used', rank=0, flags=kinds(i), stat=status)
      call check(status == ADTAPE_STATUS_BAD_ARGUMENT .and. .not. c_associated(other%handle), 'one store at a time')
      call check(index(adtape_error_message(), 'this is process') > 0, 'the message names the process')
      call store_destroy(s)
    end do
    call store_create_files(s, '/tmp', run='adtape-fortran-used', rank=0, flags=ADTAPE_STORE_SHARED)
    call store_destroy(s)
    call execute_command_line('rm /tmp/adtape-fortran-used.r0.adtapes')
    call store_create_files(s, '/tmp', run='adtape-fortran-damaged', rank=1)
    call write_a()
    call store_destroy(s)
    call execute_command_line('mv /tmp/adtape-fortran-damaged.r1.a.adtape /tmp/adtape-fortran-damaged.r0.a.adtape')
    call store_create_files(s, '/tmp', run='adtape-fortran-damaged', rank=0)
    call refuses_a(ADTAPE_STATUS_DAMAGED)
    call store_remove(s, 'a')
    call store_destroy(s)
  end subroutine

  subroutine write_a()
    type(adtape_checkpoint) :: c
    integer :: i
    call checkpoint_create(c, s, 'a')
    call checkpoint_write(c, 'x', [(0.5d0*i, i = 1, 1000)])
    call checkpoint_commit(c)
  end subroutine

  subroutine read_a()
    type(adtape_checkpoint) :: c
    real(8) :: x(1000)
    integer :: i
    call checkpoint_open(c, s, 'a')
    call checkpoint_read(c, 'x', x)
    call checkpoint_close(c)
    call check(all(x == [(0.5d0*i, i = 1, 1000)]), 'the file is whole again')
  end subroutine

  subroutine refuses_a(expected)
    integer(c_int32_t), intent(in) :: expected
    type(adtape_checkpoint) :: c
    integer(c_int32_t) :: status
    real(8) :: x(1000)
    call checkpoint_open(c, s, 'a', status)
    if (status == ADTAPE_STATUS_OK) then
      call checkpoint_read(c, 'x', x, status)
      call checkpoint_close(c)
    end if
    call check(status == expected, 'a file that was changed is refused')
    call check(index(adtape_error_message(), 'adtape-fortran-damaged.r0.a.adtape') > 0, 'the message names the file')
  end subroutine

  subroutine replace(bytes)
    integer(1), intent(in) :: bytes(:)
    integer :: unit
    open (newunit=unit, file='/tmp/adtape-fortran-damaged.r0.a.adtape', access='stream', form='unformatted', &
          status='replace', action='write')
    write (unit) bytes
    close (unit)
  end subroutine

  ! docs/format.md
  function crc32(bytes) result(crc)
    integer(1), intent(in) :: bytes(:)
    integer(4) :: crc
    integer :: i, bit
    crc = -1
    do i = 1, size(bytes)
      crc = ieor(crc, iand(int(bytes(i), 4), 255))
      do bit = 1, 8
        crc = merge(ieor(ishft(crc, -1), ibset(int(z'6DB88320', 4), 31)), ishft(crc, -1), btest(crc, 0))
      end do
    end do
    crc = not(crc)
  end function

end program
