//! A moment in words. Knows nothing of approvals.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// RFC 3339 in UTC, to the second. What lies before 1970 is shown as its start.
pub(super) fn rfc3339(moment: SystemTime) -> String {
    let seconds = moment
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (year, month, day) = date(seconds / DAY);
    let second = seconds % DAY;
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// Year, month and day of the Gregorian calendar, by days since 1970.
///
/// Counted from the first of March in the year 0, so that a leap day is the
/// last of its year and each period of 400 years is alike.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let period = days / 146_097;
    let day_of_period = days % 146_097;
    let year_of_period = (day_of_period - day_of_period / 1460 + day_of_period / 36_524
        - day_of_period / 146_096)
        / 365;
    let day_of_year =
        day_of_period - (365 * year_of_period + year_of_period / 4 - year_of_period / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = 400 * period + year_of_period + u64::from(month <= 2);
    (year, month, day)
}
