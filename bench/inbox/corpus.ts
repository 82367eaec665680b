/** Generated text in three languages with a natural word distribution: few words are frequent, most are rare. */
export interface GeneratedMessage {
  language: 'en' | 'de' | 'ja'
  person: string
  text: string
}

const syllables = {
  en: ['ba', 'ker', 'ton', 'ly', 'strea', 'm', 'ight', 'wood', 'pen', 'sal', 'ing', 'or', 'der', 'mar', 'low', 'hil'],
  de: [
    'ber',
    'gang',
    'stra',
    'ße',
    'wald',
    'ung',
    'licht',
    'schu',
    'he',
    'zelt',
    'fahrt',
    'grö',
    'ren',
    'kauf',
    'tür',
    'sam',
  ],
  ja: [
    '山',
    '川',
    '道',
    '店',
    '注',
    '文',
    '靴',
    '袋',
    '明',
    '日',
    '東',
    '京',
    'テ',
    'ン',
    'ト',
    '修',
    '理',
    '配',
    '送',
    '色',
  ],
} as const
const common = {
  en: ['the', 'and', 'is', 'my', 'order', 'you', 'for', 'tent', 'when', 'thanks', 'size', 'it', 'not', 'shop'],
  de: ['die', 'und', 'ist', 'meine', 'bestellung', 'für', 'zelt', 'wann', 'danke', 'größe', 'nicht', 'laden'],
  ja: ['です', 'ます', 'の', 'を', 'は', 'が', 'テント', '注文', 'いつ', 'ありがとう', 'サイズ', '届き'],
} as const

const vocabulary = 20_000

/** Deterministic per number. */
export function messageAt(number: number): GeneratedMessage {
  const next = numbersFrom(number)
  const language = (['en', 'de', 'ja'] as const)[number % 3] as GeneratedMessage['language']
  const words = Array.from({ length: 8 + (next() % 24) }, () => wordOf(language, rankOf(next())))
  const person = `${wordOf('en', 100 + (next() % 5000))} ${wordOf('de', 100 + (next() % 5000))}`
  return { language, person, text: words.join(language === 'ja' ? '' : ' ') }
}

/** The word with this frequency rank. */
export function wordOf(language: GeneratedMessage['language'], rank: number): string {
  const known = common[language][rank]
  if (known) return known
  const next = numbersFrom(rank * 7 + 3)
  const parts = syllables[language]
  return Array.from({ length: 2 + (next() % 3) }, () => parts[next() % parts.length]).join('')
}

/** About half of the text consists of the first hundred words. */
const rankOf = (random: number) => Math.floor(vocabulary ** ((random % 100_003) / 100_003)) - 1

/** Pseudo-random numbers. */
function numbersFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 97) >>> 0
  return () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
}
