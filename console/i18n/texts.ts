import type { en } from '@/i18n/en/en.ts'
import { writeFor } from './format.ts'

/** Every word that the console says; another language is of the same type, so a missing line does not compile. */
export type Words = typeof en

const languages = {
  en: async () => (await import('@/i18n/en/en.ts')).en,
} satisfies { [language: string]: () => Promise<Words> }

/** Of the language that was chosen; there before anything is drawn. */
export let words: Words

/** Loads the words of the best language that there is. */
export async function speak(wanted: readonly string[]): Promise<void> {
  const language = wanted.map((tag) => tag.slice(0, 2)).find((tag): tag is keyof typeof languages => tag in languages)
  words = await languages[language ?? 'en']()
  // English is written as most of the world writes it: the day before the month, and hours to 24.
  writeFor({ language: language === 'en' || !language ? 'en-GB' : language })
  document.documentElement.lang = language ?? 'en'
}
