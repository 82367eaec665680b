import { useSyncExternalStore } from 'react'

/** Preferences stored in this browser. Defaults apply if it allows no storage. */
export interface Preferences {
  theme: 'light' | 'dark' | ''
  density: 'roomy' | ''
  /** Whether single-key shortcuts are disabled. */
  letters: 'off' | ''
  /** Custom shortcuts, as JSON. */
  keys: string
}

const defaults: Preferences = { theme: '', density: '', letters: '', keys: '' }

export function getPreference<Name extends keyof Preferences>(name: Name): Preferences[Name] {
  try {
    return (localStorage.getItem(`chorus.${name}`) ?? defaults[name]) as Preferences[Name]
  } catch {
    return defaults[name]
  }
}

export function setPreference<Name extends keyof Preferences>(name: Name, value: Preferences[Name]): void {
  try {
    if (value === '') localStorage.removeItem(`chorus.${name}`)
    else localStorage.setItem(`chorus.${name}`, value)
  } catch {}
}

const root = document.documentElement
const listeners = new Set<() => void>()

/** Runs before the first paint to avoid a flash of the wrong theme. */
export function applyTheme(): void {
  applyAttribute('theme', getPreference('theme'))
  applyAttribute('density', getPreference('density'))
}

function applyAttribute(name: 'theme' | 'density', value: string) {
  if (value === '') delete root.dataset[name]
  else root.dataset[name] = value
}

export function setAppearance<Name extends 'theme' | 'density'>(name: Name, value: Preferences[Name]): void {
  setPreference(name, value)
  applyAttribute(name, value)
  for (const listener of listeners) listener()
}

export function toggleTheme(): void {
  const isDark = getComputedStyle(root).colorScheme === 'dark' || (root.dataset.theme === undefined && prefersDark())
  setAppearance('theme', isDark ? 'light' : 'dark')
}

const prefersDark = () => matchMedia('(prefers-color-scheme: dark)').matches

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The chosen theme; empty if the system setting applies. */
export const useTheme = () => useSyncExternalStore(subscribe, () => (root.dataset.theme ?? '') as Preferences['theme'])
export const useDensity = () =>
  useSyncExternalStore(subscribe, () => (root.dataset.density ?? '') as Preferences['density'])
