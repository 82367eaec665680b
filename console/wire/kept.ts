/** What this browser remembers of how somebody likes it. Where it may keep nothing, the usual is taken. */
export interface Kept {
  theme: 'light' | 'dark' | ''
  density: 'roomy' | ''
  /** Whether single letters are keys. */
  letters: 'off' | ''
  /** Keys that somebody chose in the place of others, as JSON. */
  keys: string
}

const usual: Kept = { theme: '', density: '', letters: '', keys: '' }

export function recall<Name extends keyof Kept>(name: Name): Kept[Name] {
  try {
    return (localStorage.getItem(`chorus.${name}`) ?? usual[name]) as Kept[Name]
  } catch {
    return usual[name]
  }
}

export function keep<Name extends keyof Kept>(name: Name, value: Kept[Name]): void {
  try {
    if (value === '') localStorage.removeItem(`chorus.${name}`)
    else localStorage.setItem(`chorus.${name}`, value)
  } catch {}
}
