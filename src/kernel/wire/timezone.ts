const known = new Map<string, boolean>()

/** Whether the name is one of the IANA time zone database; offsets such as +01:00 are not. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name) || name.length > 64) return false
  const answer = known.get(name) ?? canFormat(name)
  if (known.size < 1000) known.set(name, answer)
  return answer
}

function canFormat(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
