import type { Option } from '../../ui/inputs/combobox.tsx'

/** All time zones that this browser knows, found by their place. */
export const zones = (): Option[] =>
  ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map((value) => ({
    value,
    label: value.replaceAll('_', ' '),
  }))
