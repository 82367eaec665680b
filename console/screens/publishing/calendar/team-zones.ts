import { useCall } from '../../../wire/queries.ts'
import { clockIn, readersZone } from '../../../words/format.ts'

const most = 6

/** What the clocks of colleagues elsewhere show at a moment: `New York 05:00 · Tokyo 18:00`. */
export function useTeamZones(): (moment: number) => string {
  const { data } = useCall('v2 GET /user', { _count: 100 })
  const zones = [...new Set(data?.Items.map(({ Timezone }) => Timezone))]
    .filter((zone) => zone && zone !== readersZone())
    .slice(0, most)
  return (moment) =>
    zones.map((zone) => `${zone.split('/').at(-1)?.replaceAll('_', ' ')} ${clockIn(zone, moment)}`).join(' · ')
}
