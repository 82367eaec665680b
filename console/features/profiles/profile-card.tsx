import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { formatDate, formatRelativeTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { now, parseOptionalTimestamp } from '@/time/days.ts'
import * as badgesStyles from '@/ui/badges.module.css'
import { Avatar, NetworkIcon, StatusBadge } from '@/ui/badges.tsx'
import * as styles from './profiles.module.css'

export type Health = Body<'GET /credential-health'>['Items'][number]

export const states = ['broken', 'ending', 'no-app', 'fine', 'listed'] as const

/** Maps the health of a profile to a status badge of posts. */
export const statusOf = {
  fine: 'sent',
  ending: 'waiting',
  broken: 'failed',
  'no-app': 'unsure',
  listed: 'draft',
} as const

/** Whether a user has to act. */
export const needsAttention = ({ State }: Pick<Health, 'State'>) => State !== 'fine' && State !== 'listed'

const pictureOf = (id: string) => `/app/api/picture/profile/${encodeURIComponent(id)}`

export const connectPath = ({ Id, Network }: Pick<Health, 'Id' | 'Network'>) =>
  `/app/connect/${Network}?console=1&credential=${encodeURIComponent(Id)}`

/** One profile: name, health, and the effect on scheduled posts. */
export function ProfileCard({ profile, isOpen, onOpen }: { profile: Health; isOpen: boolean; onOpen: () => void }) {
  const { DisplayName, Network, NetworkUsername, State, Since, Ends, LastSuccess, PostsAtRisk } = profile
  const [since, ends, last] = [
    parseOptionalTimestamp(Since),
    parseOptionalTimestamp(Ends),
    parseOptionalTimestamp(LastSuccess),
  ]
  return (
    <button
      type="button"
      data-testid="profile-card"
      className={styles.card}
      data-open={isOpen || undefined}
      onClick={onOpen}
    >
      <span className={styles.head}>
        <ProfileAvatar profile={profile} />
        <span className={styles.names}>
          <span className={styles.name} dir="auto">
            {DisplayName}
          </span>
          <span className={styles.handle}>
            <NetworkIcon network={Network} label /> <span dir="auto">{NetworkUsername}</span>
          </span>
        </span>
      </span>
      <span className={styles.state}>
        <StatusBadge status={statusOf[State]}>{texts.profiles.states[State]}</StatusBadge>
        {State === 'broken' && since !== undefined && <span>{texts.profiles.since(formatDate(since))}</span>}
        {State === 'ending' && ends !== undefined && <span>{formatRelativeTime(ends, now())}</span>}
      </span>
      {PostsAtRisk > 0 && <span className={styles.risk}>{texts.profiles.atRiskCount(PostsAtRisk)}</span>}
      <span className="muted">
        {texts.profiles.lastSuccess}: {last === undefined ? texts.profiles.never : formatRelativeTime(last, now())}
      </span>
    </button>
  )
}

type Pictured = Pick<Health, 'Id' | 'DisplayName' | 'HasPicture'>

/** The avatar, proxied by the server; initials if there is none. */
export function ProfileAvatar({ profile: { Id, DisplayName, HasPicture } }: { profile: Pictured }) {
  const [hasLoaded, setHasLoaded] = useState(HasPicture === 1)
  return hasLoaded ? (
    <img
      data-ui="avatar"
      className={badgesStyles.avatar}
      src={pictureOf(Id)}
      alt=""
      loading="lazy"
      onError={() => setHasLoaded(false)}
    />
  ) : (
    <Avatar name={DisplayName} />
  )
}
