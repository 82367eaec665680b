import { useState } from 'react'
import { momentIfAny, now } from '../../../time/days.ts'
import { Face } from '../../../ui/marks/face.tsx'
import { NetworkMark } from '../../../ui/marks/network-mark.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import { distance, shortDay } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { type Health, pictureOf, statusOf } from './profile.ts'

/** One profile: whose it is, how it is, and what that means for what is planned. */
export function ProfileCard({ profile, isOpen, onOpen }: { profile: Health; isOpen: boolean; onOpen: () => void }) {
  const { DisplayName, Network, NetworkUsername, State, Since, Ends, LastSuccess, PostsAtRisk } = profile
  const [since, ends, last] = [momentIfAny(Since), momentIfAny(Ends), momentIfAny(LastSuccess)]
  return (
    <button type="button" className="profile-card" data-open={isOpen || undefined} onClick={onOpen}>
      <span className="profile-head">
        <ProfileFace profile={profile} />
        <span className="profile-names">
          <span className="profile-name" dir="auto">
            {DisplayName}
          </span>
          <span className="profile-handle">
            <NetworkMark network={Network} label /> <span dir="auto">{NetworkUsername}</span>
          </span>
        </span>
      </span>
      <span className="profile-state">
        <StatusMark status={statusOf[State]}>{words.profiles.states[State]}</StatusMark>
        {State === 'broken' && since !== undefined && <span>{words.profiles.since(shortDay(since))}</span>}
        {State === 'ending' && ends !== undefined && <span>{distance(ends, now())}</span>}
      </span>
      {PostsAtRisk > 0 && <span className="profile-risk">{words.profiles.atRiskCount(PostsAtRisk)}</span>}
      <span className="quiet">
        {words.profiles.lastSuccess}: {last === undefined ? words.profiles.never : distance(last, now())}
      </span>
    </button>
  )
}

type Pictured = Pick<Health, 'Id' | 'DisplayName' | 'HasPicture'>

/** Its picture, by way of the service; letters where there is none. */
export function ProfileFace({ profile: { Id, DisplayName, HasPicture } }: { profile: Pictured }) {
  const [isThere, setIsThere] = useState(HasPicture === 1)
  return isThere ? (
    <img className="face" src={pictureOf(Id)} alt="" loading="lazy" onError={() => setIsThere(false)} />
  ) : (
    <Face name={DisplayName} />
  )
}
