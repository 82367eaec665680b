import { expect, test } from 'vitest'
import { openLog } from '#kernel/log.ts'
import { linesOf, nowhere, openGeo, openLocations } from './geo.ts'

const log = openLog('silent')
const geo = openGeo({ on: true, log })

test('a public IP address has a country in English, a city, coordinates and an organisation', async () => {
  expect(await geo('8.8.8.8')).toEqual({
    country: 'United States',
    city: 'Mountain View',
    organization: 'Google LLC',
    latitude: expect.closeTo(37.42, 1),
    longitude: expect.closeTo(-122.08, 1),
  })
  expect(await geo('2a01:4f8::1')).toMatchObject({ country: 'Germany', organization: 'Hetzner Online GmbH' })
  // A name that is quoted because of its comma.
  expect((await geo('1.1.1.1')).organization).toBe('Cloudflare, Inc.')
})

test('an IP address is the same in both notations', async () => {
  expect(await geo('::ffff:8.8.8.8')).toEqual(await geo('8.8.8.8'))
  expect(await geo('2A01:04F8:0:0::1')).toEqual(await geo('2a01:4f8::1'))
})

test('private and invalid addresses have no location', async () => {
  const addresses = ['127.0.0.1', '10.1.2.3', '192.168.0.1', '169.254.1.1', '100.64.0.1', '::1', 'fe80::1', 'fd00::1']
  for (const address of [...addresses, '0.0.0.0', '255.255.255.255', '', 'unknown', '8.8.8', '<script>'])
    expect(await geo(address), address).toEqual(nowhere)
})

test('a disabled lookup returns nothing', async () => {
  expect(await openGeo({ on: false, log })('8.8.8.8')).toEqual(nowhere)
})

test.each([
  ['organisations', () => linesOf(Buffer.from('1,1,1,x\n'.repeat(400_000)))],
  ['places', () => openLocations(4)],
])('loading the list of %s does not block the event loop', async (_, open) => {
  let [ticks, running] = [0, true]
  const turn = () => {
    ticks++
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  await open()
  running = false
  // Without slicing it would be one or two.
  expect(ticks).toBeGreaterThan(20)
})
