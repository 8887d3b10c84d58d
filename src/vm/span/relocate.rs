//! Spans that are outgrown: a larger reservation, and the pages there.

use super::*;

impl Span {
    /// Moves to a reservation of at least `need` bytes.
    pub(super) fn relocate(&mut self, need: usize) -> Result<(), Error> {
        let (base, reserved) = self.reserve(need)?;
        let mut seams = Vec::new();
        if self.pages != Pages::Unasked && reserved > HUGE_PAGE {
            let advise = if matches!(self.pages, Pages::Huge { .. }) { os::advise_huge } else { os::advise_small };
            advise(base + HUGE_PAGE, reserved - HUGE_PAGE);
            seams.push(HUGE_PAGE);
        }
        if self.reserved > 0 {
            self.account.unsettle();
            self.seams.append(&mut spare::forget(self.base, self.reserved));
            self.seams.sort_unstable();
            self.move_pages_to(base).inspect_err(|_| {
                os::release(base, reserved);
                self.account.settle(self.base, self.reserved);
            })?;
            // What was moved is not ours any more: another thread may have mapped something there since.
            os::release(self.base + self.committed, self.reserved - self.committed);
            self.moves += 1;
            // Moved pages keep the identity of their old mapping, so the kernel does not merge them with what
            // is committed behind them later.
            seams.append(&mut self.seams);
            seams.push(self.committed);
            seams.sort_unstable();
            seams.dedup();
        }
        self.account.settle(base, reserved);
        (self.base, self.reserved, self.seams) = (base, reserved, seams);
        Ok(())
    }

    fn move_pages_to(&self, base: usize) -> Result<(), Error> {
        let ends = self.seams.iter().copied().filter(|seam| *seam < self.committed);
        let mut from = 0;
        for end in ends.chain([self.committed]) {
            if end > from && !os::move_pages(self.base + from, end - from, base + from) {
                // Not one mapping after all.
                self.copy_pages_to(base, from, end)?;
            }
            from = end;
        }
        Ok(())
    }

    /// Copies `[from, end)`, page for page given back as soon as it is copied, so that it takes little memory more.
    /// What lies below has moved already: where not even a page is to be had any more, there is no way back.
    pub(super) fn copy_pages_to(&self, base: usize, mut from: usize, end: usize) -> Result<(), Error> {
        let mut step = HUGE_PAGE;
        while from < end {
            let size = step.min(end - from);
            match os::commit_anew(base + from, size) {
                Ok(()) => {}
                Err(_) if step > PAGE => {
                    step /= 2;
                    continue;
                }
                Err(cause) => {
                    let error = os::refused("memory", size, self.committed, &cause);
                    if from == 0 {
                        return Err(error);
                    }
                    os::end_process(&error.with_line("while its tape was moved, half of which has moved: aborting"))
                }
            }
            // SAFETY: both ranges are committed, of this length, and lie in different reservations.
            unsafe { std::ptr::copy_nonoverlapping((self.base + from) as *const u8, (base + from) as *mut u8, size) };
            os::release(self.base + from, size);
            from += size;
        }
        Ok(())
    }

    /// Address space for at least `need` bytes: as much as is reasonable, down to just that.
    pub(super) fn reserve(&self, need: usize) -> Result<(usize, usize), Error> {
        let unit = if self.step != 0 { PAGE } else { HUGE_PAGE };
        let least = round_up(need, unit).ok_or_else(|| absurd(need))?;
        let cap = match os::address_space_left() {
            Some(left) => {
                let reserved = self.account.budget().reserved() as usize;
                (left.saturating_add(reserved) / 8).saturating_sub(reserved)
            }
            None => RESERVE_CAP.saturating_sub(self.account.budget().reserved() as usize),
        };
        let wish = self.first_reserve.max(self.reserved.saturating_mul(2)).max(least.saturating_mul(2));
        let mut size = round_up(wish.min(cap).max(least / 8 * 9), PAGE).unwrap_or(least).max(least);
        loop {
            let cause = match os::reserve(size) {
                None => std::io::Error::last_os_error(),
                Some(base) => match os::leave_headroom() {
                    Ok(()) => return Ok((base, size)),
                    Err(cause) => {
                        os::release(base, size);
                        cause
                    }
                },
            };
            if size == least {
                return Err(os::refused("address space", least, self.reserved, &cause));
            }
            // Far down at once: whoever refuses (valgrind, a limit) shall have room left for others.
            size = round_up(size / 16, PAGE).unwrap_or(least).max(least);
        }
    }
}
