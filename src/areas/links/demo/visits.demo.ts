/** The same numbers at every start: a small generator with a seed of its own. */
export function openChance(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    whole: (below: number) => Math.floor(next() * below),
    pick: <Value>(values: readonly Value[]) => values[Math.floor(next() * values.length)] as Value,
  }
}

export type Chance = ReturnType<typeof openChance>

type City = [country: string, city: string, longitude: number, latitude: number, organizations: string[]]

const cities: City[] = [
  ['United Kingdom', 'London', -0.1278, 51.5074, ['British Telecommunications PLC', 'Virgin Media Limited']],
  ['United Kingdom', 'Manchester', -2.2426, 53.4808, ['Sky UK Limited', 'Vodafone Limited']],
  ['United Kingdom', 'Edinburgh', -3.1883, 55.9533, ['British Telecommunications PLC']],
  ['Germany', 'Berlin', 13.405, 52.52, ['Deutsche Telekom AG', 'Vodafone GmbH']],
  ['Germany', 'Munich', 11.582, 48.1351, ['Deutsche Telekom AG', 'M-net Telekommunikations GmbH']],
  ['Netherlands', 'Amsterdam', 4.9041, 52.3676, ['KPN B.V.', 'Ziggo B.V.']],
  ['France', 'Lyon', 4.8357, 45.764, ['Orange S.A.', 'Free SAS']],
  ['United States', 'Denver', -104.9903, 39.7392, ['Comcast Cable Communications, LLC']],
  ['United States', 'Seattle', -122.3321, 47.6062, ['Comcast Cable Communications, LLC', 'T-Mobile USA, Inc.']],
  ['Canada', 'Vancouver', -123.1207, 49.2827, ['TELUS Communications Inc.']],
  ['Norway', 'Bergen', 5.3221, 60.3913, ['Telenor Norge AS']],
  ['', '', 0, 0, ['']],
]

const browsers = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
]

const machines = [
  { class: 'preview', reason: 'A network reads the page for its preview.', userAgent: 'facebookexternalhit/1.1' },
  { class: 'preview', reason: 'A network reads the page for its preview.', userAgent: 'LinkedInBot/1.0' },
  {
    class: 'bot',
    reason: 'The user agent is that of a program.',
    userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)',
  },
  { class: 'head', reason: 'HEAD asks where a link leads without going there.', userAgent: 'curl/8.9.1' },
] as const

/** Somebody who follows links, always from the same place and with the same browser. */
export function visitorOf(number: number) {
  const chance = openChance(number * 977)
  const [country, city, longitude, latitude, organizations] = chance.pick(cities)
  return {
    visitorId: `demo${number.toString(36).padStart(18, '0')}`,
    ...{
      country,
      city,
      longitude,
      latitude,
      organization: chance.pick(organizations),
      userAgent: chance.pick(browsers),
    },
  }
}

/** Something that follows links and is not counted. */
export const machineOf = (chance: Chance) => {
  const machine = chance.pick(machines)
  const nowhere = { country: '', city: '', longitude: 0, latitude: 0, organization: '' }
  return { ...machine, ...nowhere, visitorId: `demo${String(chance.whole(40)).padStart(18, 'm')}` }
}
