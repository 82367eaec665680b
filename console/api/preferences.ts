import { useSyncExternalStore } from 'react'

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

const root = document.documentElement
const hearers = new Set<() => void>()

/** Before anything is drawn, so that nothing flashes. */
export function applyTheme(): void {
  set('theme', recall('theme'))
  set('density', recall('density'))
}

function set(name: 'theme' | 'density', value: string) {
  if (value === '') delete root.dataset[name]
  else root.dataset[name] = value
}

export function choose<Name extends 'theme' | 'density'>(name: Name, value: Kept[Name]): void {
  keep(name, value)
  set(name, value)
  for (const hear of hearers) hear()
}

/** To the other of light and dark, whichever is seen now. */
export function switchTheme(): void {
  const isDark = getComputedStyle(root).colorScheme === 'dark' || (root.dataset.theme === undefined && prefersDark())
  choose('theme', isDark ? 'light' : 'dark')
}

const prefersDark = () => matchMedia('(prefers-color-scheme: dark)').matches

const listen = (hear: () => void) => {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

/** What was chosen; empty where the system decides. */
export const useTheme = () => useSyncExternalStore(listen, () => (root.dataset.theme ?? '') as Kept['theme'])
export const useDensity = () => useSyncExternalStore(listen, () => (root.dataset.density ?? '') as Kept['density'])
