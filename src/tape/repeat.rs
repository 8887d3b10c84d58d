//! Repeat regions and trimming, as programs ask for them.

#![forbid(unsafe_code)]

use super::cursor::Cursor;
use crate::error::Error;
use crate::vm::Trim;

impl Cursor {
    /// Starts a repeat region: what lies on the tape now can be popped several times.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(0.5_f64)?; // of the last step of z = phi(z, x)
    /// tape.repeat_start()?;
    /// let mut adjoint = 0.0;
    /// loop {
    ///     let before = adjoint;
    ///     adjoint = tape.pop::<f64>()? * adjoint + 1.0;
    ///     if adjoint - before < 1e-12 {
    ///         break;
    ///     }
    ///     tape.repeat_reset()?;
    /// }
    /// tape.repeat_end()?;
    /// assert!((adjoint - 2.0).abs() < 1e-11);
    /// assert_eq!(tape.stats()?.bytes, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeat_start(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.start();
            if let Some(watch) = &mut core.watch {
                watch.start();
            }
            Ok(())
        })
    }

    /// Puts the tape back to where it was when the innermost repeat region was started; what was pushed in it and not
    /// popped is discarded.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1_i32)?;
    /// tape.repeat_start()?;
    /// for _ in 0..3 {
    ///     assert_eq!(tape.pop::<i32>()?, 1);
    ///     tape.repeat_reset()?;
    /// }
    /// tape.repeat_end()?;
    /// assert_eq!(tape.repeat_reset().unwrap_err().status(), Status::RepeatUnbalanced);
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeat_reset(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.reset()?;
            core.watch.as_mut().map_or(Ok(()), |watch| watch.reset())
        })
    }

    /// Ends the innermost repeat region where the tape stands: what was popped in it is gone, what was pushed stays.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// tape.push(1_i32)?;
    /// tape.repeat_start()?;
    /// tape.push(2_i32)?; // stays on top
    /// tape.repeat_end()?;
    /// assert_eq!(tape.pop::<i32>()?, 2);
    /// assert_eq!(tape.pop::<i32>()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeat_end(&self) -> Result<(), Error> {
        self.slow(|core| {
            core.machine.end()?;
            core.watch.as_mut().map_or(Ok(()), |watch| watch.end())
        })
    }

    /// Gives back memory that is kept warm above the top.
    ///
    /// ```
    /// # use adtape::*;
    /// # fn main() -> Result<(), Error> {
    /// let tape = Tape::new()?;
    /// let mut x = vec![0_u8; 8 << 20];
    /// tape.push_slice(&x)?;
    /// tape.pop_slice(&mut x)?;
    /// assert!(tape.stats()?.committed_bytes >= 8 << 20);
    /// tape.trim(Trim::Hard)?;
    /// assert!(tape.stats()?.committed_bytes < 1 << 20);
    /// # Ok(())
    /// # }
    /// ```
    pub fn trim(&self, how: Trim) -> Result<(), Error> {
        self.slow(|core| {
            core.trim(how);
            Ok(())
        })
    }
}
