import type { ReactNode } from 'react'

/** Something that is on or off, as one of several side by side. */
export const ToggleChip = ({
  isOn,
  onChange,
  children,
}: {
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ReactNode
}) => (
  <button type="button" className="toggle-chip" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
    {children}
  </button>
)
