import type { en } from '@/i18n/en/en.ts'
import { setLocale } from './format.ts'

/** All texts of the console. Other languages have the same type, so a missing text does not compile. */
export type Texts = typeof en

const languages = {
  en: async () => (await import('@/i18n/en/en.ts')).en,
} satisfies { [language: string]: () => Promise<Texts> }

/** Texts of the chosen language; set before the first render. */
export let texts: Texts

/** Loads the texts of the best available language. */
export async function loadTexts(wanted: readonly string[]): Promise<void> {
  const language = wanted.map((tag) => tag.slice(0, 2)).find((tag): tag is keyof typeof languages => tag in languages)
  texts = await languages[language ?? 'en']()
  // English uses the international format: day before month, 24-hour clock.
  setLocale({ language: language === 'en' || !language ? 'en-GB' : language })
  document.documentElement.lang = language ?? 'en'
}
