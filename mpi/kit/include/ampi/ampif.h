! ampi/ampif.h: the names of Adjoinable MPI over libadtape_mpi, in Fortran of either form. See ampi.h.

      include 'mpif.h'

      integer AMPI_TO_RECV, AMPI_FROM_SEND
      integer AMPI_TO_IRECV_WAIT, AMPI_TO_IRECV_WAITALL
      integer AMPI_FROM_ISEND_WAIT, AMPI_FROM_ISEND_WAITALL
      integer AMPI_FROM_BSEND, AMPI_FROM_RSEND
      parameter (AMPI_TO_RECV=0, AMPI_FROM_SEND=1)
      parameter (AMPI_TO_IRECV_WAIT=2, AMPI_TO_IRECV_WAITALL=3)
      parameter (AMPI_FROM_ISEND_WAIT=4, AMPI_FROM_ISEND_WAITALL=5)
      parameter (AMPI_FROM_BSEND=6, AMPI_FROM_RSEND=7)

      integer AMPI_ADOUBLE_PRECISION, AMPI_AREAL
      common /active_types/ AMPI_ADOUBLE_PRECISION, AMPI_AREAL

      external AMPI_INIT_NT, AMPI_COMM_RANK, AMPI_FINALIZE_NT
      external ADTOOL_AMPI_TURN
      external AMPI_SEND, AMPI_RECV, AMPI_ISEND, AMPI_IRECV
      external AMPI_WAIT, AMPI_BARRIER, AMPI_REDUCE
      external FW_AMPI_SEND, FW_AMPI_RECV
      external FW_AMPI_ISEND, FW_AMPI_IRECV, FW_AMPI_WAIT
      external FW_AMPI_BARRIER, FWS_AMPI_REDUCE
      external BW_AMPI_SEND, BW_AMPI_RECV
      external BW_AMPI_ISEND, BW_AMPI_IRECV, BW_AMPI_WAIT
      external BW_AMPI_BARRIER, BWS_AMPI_REDUCE
