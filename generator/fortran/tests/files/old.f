C     Fixed form as it was written then.
      PROGRAM OLD
      IMPLICIT REAL*8 (A-H, O-Z), INTEGER*2 (I), LOGICAL (L)
      DIMENSION A(10), B(0:9, *)
      COMMON /BLK/ X, Y /OTHER/ E1, H2(3) // BLANK
      REAL*8 E3, H3
      CHARACTER*8, C1
      CHARACTER C2*(4), C3(2)*3
      DATA A / 10 * 0. D0 /, C1 / 8HDON'T !; /
      POINTER (P, Q(5))
      INTEGER FUNCTION X
      AREA(R) = 3.14 * R ** 2
      DO 10 I = 1 , 1 0
      DO 10 J = 1,5
10    A(I) = A ( I ) + J
      DO 20 I = 1.5
      DO20I=1,5
   20 CONTINUE
      ASSIGN 30 TO LAB
      GO TO LAB
      GOTO(10,20),I
   30 IF (X . GT . 1 . E - 3 . AND . Y .LE. 2) GO TO 40
      IF (X) 10, 20, 30
      IF (I .EQ. 1) THEN
        CALL SUB (A, *10, *20)
      ELSE IF (I .EQ. 2) THEN
        S T O P 7
      E N D I F
   40 FORMAT (1X, 5HIT'S!, F10.3, 'A
     &B')
      WRITE (6, 40) A
      READ 40, X, (A(I), I = 1, 10)
      PRINT*, X
      X = 'A  B' // 'C; D'; Y = 1
D     PRINT *, 'DEBUG'
      REWIND LU
      LONG = 1 +
     1       2 +
C comment between
     2       3
	TAB = 1
	1+ 2
      END
