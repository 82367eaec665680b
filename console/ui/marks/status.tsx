import { words } from '../../words/words.ts'
import { Icon, type IconName } from './icons.tsx'

/** What became of something, in words people use. */
export type Status = keyof typeof words.ui.status

const signs: { [status in Status]: IconName } = {
  planned: 'clock',
  waiting: 'hourglass',
  sent: 'check',
  failed: 'cross',
  unsure: 'question',
  draft: 'dashed',
}

/** How the service says it, and how people do. */
export function statusOf(status: string, approval = ''): Status {
  if (status === 'complete') return 'sent'
  if (status === 'error' || status === 'incomplete' || approval === 'Rejected') return 'failed'
  if (approval === 'Pending') return 'waiting'
  return status === 'draft' || status === 'inqueue-draft' ? 'draft' : 'planned'
}

/** The sign alone, where there is no room for its word: that is said only. */
export const StatusSign = ({ status }: { status: Status }) => (
  <span className="status" data-status={status}>
    <Icon name={signs[status]} />
    <span className="unseen">{words.ui.status[status]}</span>
  </span>
)

/** Sign and word. */
export const StatusMark = ({ status, children = words.ui.status[status] }: { status: Status; children?: string }) => (
  <span className="mark" data-status={status}>
    <Icon name={signs[status]} />
    {children}
  </span>
)
