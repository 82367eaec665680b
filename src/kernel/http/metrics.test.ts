import { expect, test } from 'vitest'
import { formerMetrics, openMetrics } from './metrics.ts'

test.each(Object.entries(formerMetrics))('%s is also exported as %s', async (name, former) => {
  const one = openMetrics()
  one.gauge(name, 'Help.', () => 7)
  expect(await one.registry.metrics()).toContain(`\n${name} 7\n`)
  expect(await one.registry.metrics()).toContain(`# HELP ${former} Former name of ${name}.`)
  expect(await one.registry.metrics()).toContain(`\n${former} 7\n`)
  const several = openMetrics()
  several.gauges({
    labels: ['state'],
    series: { [name]: 'Help.' },
    read: async () => [{ labels: { state: 'due' }, values: { [name]: 3 } }],
  })
  const text = await several.registry.metrics()
  for (const exported of [name, former]) expect(text).toContain(`${exported}{state="due"} 3`)
})
