import type { en } from '@/i18n/en/en.ts'
import { setLocale } from './format.ts'

/** Every word that the console says; another language is of the same type, so a missing line does not compile. */
export type Texts = typeof en

const languages = {
  en: async () => (await import('@/i18n/en/en.ts')).en,
} satisfies { [language: string]: () => Promise<Texts> }

/** Of the language that was chosen; there before anything is drawn. */
export let texts: Texts

/** Loads the words of the best language that there is. */
export async function loadTexts(wanted: readonly string[]): Promise<void> {
  const language = wanted.map((tag) => tag.slice(0, 2)).find((tag): tag is keyof typeof languages => tag in languages)
  texts = await languages[language ?? 'en']()
  // English is written as most of the world writes it: the day before the month, and hours to 24.
  setLocale({ language: language === 'en' || !language ? 'en-GB' : language })
  document.documentElement.lang = language ?? 'en'
}
