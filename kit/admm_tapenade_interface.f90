! The interfaces that generated Fortran adjoints use, with the arguments of 2020. Sizes are default or 64-bit integers.
! Links with -ladtape_kit -ladtape, without libadtape_kit_admm2020: the names bound to are those of one set of arguments.
module admm_tapenade_interface
  implicit none

  interface pushpointer8
    subroutine adtape_kit_pushpointer8(pp) bind(c, name='pushPointer8')
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr), value :: pp
    end subroutine
  end interface

  interface poppointer8
    subroutine adtape_kit_poppointer8(pp) bind(c, name='popPointer8')
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr), target :: pp
    end subroutine
  end interface

  interface admm_registershadowed
    ! void adtape_kit_admm2020_register_shadowed(void *, void *, int, void *, void *, int, int)
    subroutine adtape_kit_registershadowed(base, obase, size, baseb, obaseb, sizeb, nbelem) &
      bind(c, name='adtape_kit_admm2020_register_shadowed')
      use, intrinsic :: iso_c_binding, only: c_int, c_ptr
      type(c_ptr), value :: base, obase, baseb, obaseb
      integer(c_int), value :: size, sizeb, nbelem
    end subroutine
    ! void adtape_kit_admm2020_register_shadowed_long(void *, void *, int64_t, void *, void *, int64_t, int)
    subroutine adtape_kit_registershadowed_long(base, obase, size, baseb, obaseb, sizeb, nbelem) &
      bind(c, name='adtape_kit_admm2020_register_shadowed_long')
      use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: base, obase, baseb, obaseb
      integer(c_int64_t), value :: size, sizeb
      integer(c_int), value :: nbelem
    end subroutine
  end interface

  interface admm_register
    ! void adtape_kit_admm2020_register(void *, void *, int, int)
    subroutine adtape_kit_register(base, obase, size, nbelem) bind(c, name='adtape_kit_admm2020_register')
      use, intrinsic :: iso_c_binding, only: c_int, c_ptr
      type(c_ptr), value :: base, obase
      integer(c_int), value :: size, nbelem
    end subroutine
    ! void adtape_kit_admm2020_register_long(void *, void *, int64_t, int)
    subroutine adtape_kit_register_long(base, obase, size, nbelem) bind(c, name='adtape_kit_admm2020_register_long')
      use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: base, obase
      integer(c_int64_t), value :: size
      integer(c_int), value :: nbelem
    end subroutine
  end interface

  interface admm_unregistershadowed
    subroutine adtape_kit_unregistershadowed(base, baseb, nbelem) bind(c, name='ADMM_unregisterShadowed')
      use, intrinsic :: iso_c_binding, only: c_int, c_ptr
      type(c_ptr), value :: base, baseb
      integer(c_int) :: nbelem
    end subroutine
  end interface

  interface admm_unregister
    subroutine adtape_kit_unregister(base, nbelem) bind(c, name='ADMM_unregister')
      use, intrinsic :: iso_c_binding, only: c_int, c_ptr
      type(c_ptr), value :: base
      integer(c_int) :: nbelem
    end subroutine
  end interface

  interface admm_rebaseshadowed
    subroutine adtape_kit_rebaseshadowed(base, baseb) bind(c, name='ADMM_rebaseShadowed')
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr), target :: base, baseb
    end subroutine
  end interface

  interface admm_rebase
    subroutine adtape_kit_rebase(base) bind(c, name='ADMM_rebase')
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr), target :: base
    end subroutine
  end interface

  interface admm_statistics
    subroutine adtape_kit_statistics() bind(c, name='ADMM_statistics')
    end subroutine
  end interface
end module
