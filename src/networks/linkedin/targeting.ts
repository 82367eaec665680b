import type { Audience, Facet } from '../connector/draft.ts'
import type { Problem } from '../content/content.ts'

/** One of a post's `targetEntities`; a missing facet means everyone. */
export interface TargetEntity {
  staffCountRanges?: string[]
  industries?: string[]
  jobFunctions?: string[]
  seniorities?: string[]
  geoLocations?: string[]
  interfaceLocales?: Locale[]
}

interface Locale {
  language: string
  country: string
}

/** Converts an audience to LinkedIn's values, or returns the first invalid value. No target if it excludes no one. */
export function readAudience(audience: Audience): { target?: TargetEntity; problem?: Problem } {
  const target: TargetEntity = {}
  for (const facet of Object.keys(audience) as Facet[]) {
    const rule = rules[facet]
    if (!Object.hasOwn(rules, facet)) return { problem: unknown(facet, `cannot choose readers by ${facet}.`) }
    const values: (string | Locale)[] = []
    for (const value of audience[facet] ?? []) {
      const known = rule.read(value.trim())
      if (known === undefined)
        return { problem: unknown(facet, `knows no ${rule.noun} “${value}”. Give ${rule.form}.`) }
      values.push(known)
    }
    if (values.length) Object.assign(target, { [rule.name]: distinct(values) })
  }
  return Object.keys(target).length ? { target } : {}
}

const unknown = (field: string, what: string): Problem => ({ field, sentence: `LinkedIn ${what}` })

interface Rule {
  name: keyof TargetEntity
  noun: string
  /** Expected format, with an example. */
  form: string
  read(value: string): string | Locale | undefined
}

/** A bare number, or a URN of exactly this type. */
const numbered = (name: keyof TargetEntity, noun: string, type: string, example: string): Rule => ({
  name,
  noun,
  form: `the number that LinkedIn has for it, such as ${example} or urn:li:${type}:${example}`,
  read: (value) => {
    const urn = `urn:li:${type}:`
    const id = value.startsWith(urn) ? value.slice(urn.length) : value
    return /^[0-9]+$/.test(id) ? urn + id : undefined
  },
})

const rules: { readonly [facet in Facet]: Rule } = {
  CompanySize: {
    name: 'staffCountRanges',
    noun: 'company size',
    read: sizeOf,
    form: 'one of 1, 2-10, 11-50, 51-200, 201-500, 501-1000, 1001-5000, 5001-10000 and 10001+',
  },
  Industry: numbered('industries', 'industry', 'industry', '96'),
  Function: numbered('jobFunctions', 'job function', 'function', '8'),
  Seniority: numbered('seniorities', 'seniority', 'seniority', '4'),
  Geography: numbered('geoLocations', 'place', 'geo', '101282230'),
  Language: {
    name: 'interfaceLocales',
    noun: 'language',
    read: localeOf,
    form: 'a language, with its country where there are several, such as de or pt_BR',
  },
}

/** `SIZE_2_TO_10`, `2-10`, `2 to 10`, `1`, `10,001+`, and the format of the ads API, `urn:li:staffCountRange:(2,10)`. */
function sizeOf(value: string): string | undefined {
  const upper = value.toUpperCase()
  if (sizes.includes(upper)) return upper
  const pair = /^URN:LI:STAFFCOUNTRANGE:\((\d+),(\d+)\)$/.exec(upper)
  const ends = upper
    .replace(/(?<=\d)[,.](?=\d{3}\b)/g, '')
    .split(/-|–|TO/)
    .map((end) => end.trim())
  const [from = '', to, more] = pair ? pair.slice(1) : ends
  if (more !== undefined) return undefined
  if (from === '1' && (to === undefined || to === '1')) return 'SIZE_1'
  if (/^10001\s*(?:\+|OR MORE)?$/.test(from) && (to === undefined || pair)) return 'SIZE_10001_OR_MORE'
  const size = `SIZE_${from}_TO_${to}`
  return sizes.includes(size) ? size : undefined
}

/** `en_US` or `en-US`; a bare language stands for LinkedIn's locale of it. */
function localeOf(value: string): Locale | undefined {
  const [, language = '', country] = /^([a-z]{2})(?:[_-]([a-z]{2}))?$/i.exec(value) ?? []
  const chosen = country ?? countries[language.toLowerCase()]
  return chosen === undefined ? undefined : { language: language.toLowerCase(), country: chosen.toUpperCase() }
}

function distinct<Value>(values: Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

const sizes = [
  'SIZE_1',
  'SIZE_2_TO_10',
  'SIZE_11_TO_50',
  'SIZE_51_TO_200',
  'SIZE_201_TO_500',
  'SIZE_501_TO_1000',
  'SIZE_1001_TO_5000',
  'SIZE_5001_TO_10000',
  'SIZE_10001_OR_MORE',
]

// LinkedIn's interface languages; unverified.
const countries: { readonly [language: string]: string } = Object.fromEntries(
  (
    'ar_AE bn_IN cs_CZ da_DK de_DE el_GR en_US es_ES fa_IR fi_FI fr_FR he_IL hi_IN hu_HU in_ID it_IT ja_JP ko_KR mr_IN ' +
    'ms_MY nl_NL no_NO pa_IN pl_PL pt_BR ro_RO ru_RU sv_SE te_IN th_TH tl_PH tr_TR uk_UA vi_VN zh_CN'
  )
    .split(' ')
    .map((locale) => locale.split('_') as [string, string]),
)
