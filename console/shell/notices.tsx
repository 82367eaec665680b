import { useState } from 'react'
import { Popover } from '../ui/layers/popover.tsx'
import { useNotices } from '../ui/layers/toasts.tsx'
import { Tooltip } from '../ui/layers/tooltip.tsx'
import { Icon } from '../ui/marks/icons.tsx'
import { clock } from '../words/format.ts'
import { words } from '../words/words.ts'

/** What was said: toasts go by themselves, and stay here. */
export function Notices() {
  const [isOpen, setIsOpen] = useState(false)
  const notices = useNotices()
  return (
    <Popover
      {...{ isOpen }}
      label={words.ui.notices}
      onToggle={setIsOpen}
      opener={(props) => (
        <Tooltip text={words.ui.notices}>
          <button type="button" className="button" data-kind="bare" data-icon aria-label={words.ui.notices} {...props}>
            <Icon name="bell" />
          </button>
        </Tooltip>
      )}
    >
      <ul className="notices">
        {notices.map(({ id, text, at, kind }) => (
          <li key={id} data-kind={kind}>
            <span dir="auto">{text}</span>
            <small className="quiet number">{clock(at)}</small>
          </li>
        ))}
        {notices.length === 0 && <li className="quiet">{words.ui.noNotices}</li>}
      </ul>
    </Popover>
  )
}
