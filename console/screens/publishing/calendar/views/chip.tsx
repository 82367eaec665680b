import { type CSSProperties, memo } from 'react'
import { NetworkMark } from '../../../../ui/marks/network-mark.tsx'
import { StatusSign } from '../../../../ui/marks/status.tsx'
import { words } from '../../../../words/words.ts'
import { type Answer, clockOf, type Planned } from '../plan.ts'

export type Campaigns = Answer['Campaigns']

interface ChipProps {
  post: Planned
  campaigns: Campaigns
  isOpen: boolean
  isSelected: boolean
  /** Reached by the arrows of its grid, unless it stands in a list. */
  isStop?: boolean
}

/** One post. Its name is what it shows, and in words what it shows by a sign. */
export const Chip = memo(({ post, campaigns, isOpen, isSelected, isStop = false }: ChipProps) => {
  const campaign = campaigns[post.campaignId]
  return (
    <button
      type="button"
      className="chip"
      tabIndex={isStop ? 0 : -1}
      data-post={post.id}
      data-status={post.status}
      aria-pressed={isOpen}
      data-selected={isSelected || undefined}
      style={{ '--campaign': campaign?.Color || 'var(--edge)' } as CSSProperties}
    >
      <NetworkMark network={post.network} label />
      <span className="chip-time number">{clockOf(post.minutes)}</span>
      <span className="chip-text" dir="auto">
        {post.text}
      </span>
      {post.status === 'planned' ? (
        <span className="unseen">{words.ui.status.planned}</span>
      ) : (
        <StatusSign status={post.status} />
      )}
      <span className="unseen">
        {post.isLate ? words.calendar.late : ''} {campaign?.Name} {isSelected && words.calendar.isSelected}
      </span>
    </button>
  )
})
