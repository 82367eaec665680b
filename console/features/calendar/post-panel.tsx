import type { Body } from '@/api/call.ts'
import { told, useCall } from '@/api/queries.ts'
import { useMay, useMayChange } from '@/api/session.ts'
import { clock, clockIn, listFew, longDay, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { go } from '@/routes/router.ts'
import { momentOf } from '@/time/days.ts'
import { NetworkMark, networkName, type Status, StatusMark, statusOf } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Fact, Panel } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { History, ProfileOutcome } from './post-outcome.tsx'
import { useLateRepair } from './reschedule.ts'
import type { Answer, Planned } from './scheduled-posts.ts'

interface PeekProps {
  id: string
  /** Where the calendar shows it too. */
  planned: Planned | undefined
  answer: Answer | undefined
  onMove: () => void
  onSelect: () => void
  onDelete: () => void
  onClose: () => void
}

type Post = Body<'v2 GET /post/{id}'>['Post']

/** One post beside the calendar, so that its place there is not lost. */
export function Peek({ id, planned, answer, onMove, onSelect, onDelete, onClose }: PeekProps) {
  const { data, error, refetch } = useCall('v2 GET /post/{id}', { id, postlogs: 1 }, { keepsLast: false })
  const post = data?.Post
  const network = post?.Network ?? planned?.network ?? ''
  const status = planned?.status ?? (post && statusOf(post.Status, post.ApproveStatus))
  return (
    <Panel
      title={
        <span className="peek-title">
          <NetworkMark network={network} /> {words.calendar.postOn(networkName(network))}
        </span>
      }
      onClose={onClose}
      actions={post && <Actions {...{ post, status, onMove, onSelect, onDelete }} />}
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {status && (
        <p>
          <StatusMark status={status} />
        </p>
      )}
      {planned?.isLate && post && <Late id={post.Id} />}
      {status === 'waiting' && post && <Approval id={post.Id} />}
      {post ? <Facts {...{ post, answer, status }} /> : !error && <Waiting />}
      {post && <History id={post.Id} profiles={answer?.Credentials ?? {}} />}
    </Panel>
  )
}

function Facts({ post, answer, status }: { post: Post; answer: Answer | undefined; status: Status | undefined }) {
  const { data } = useCall('v2 GET /message/{id}', { id: post.MessageId }, { keepsLast: false })
  const at = momentOf(post.StartDateTime)
  const elsewhere = useTeamZones()(at)
  const campaign = answer?.Campaigns[post.CampaignId]
  const logs = post.Postlogs ?? []
  return (
    <>
      <p className="peek-words" dir="auto">
        {data?.Message.Message}
      </p>
      <dl className="peek-facts">
        <Fact
          name={
            status === 'sent'
              ? words.calendar.wentOut
              : status === 'failed'
                ? words.calendar.wasDue
                : words.calendar.goesOut
          }
        >
          <span className="number" title={elsewhere}>
            {longDay(at)}, {clock(at)}
          </span>{' '}
          <span className="quiet">{readersZone()}</span>
        </Fact>
        {campaign && (
          <Fact name={words.calendar.campaign}>
            <span className="peek-swatch" style={{ background: campaign.Color }} />{' '}
            <span dir="auto">{campaign.Name}</span>
          </Fact>
        )}
        <Fact name={words.calendar.profiles}>
          <ul className="peek-profiles">
            {post.Credentials.split(',').map((profileId) => (
              <ProfileOutcome
                key={profileId}
                name={answer?.Credentials[profileId]?.Name ?? profileId}
                network={post.Network}
                log={logs.find((one) => one.CredentialId === profileId)}
                isUnsure={status === 'unsure'}
              />
            ))}
          </ul>
        </Fact>
      </dl>
    </>
  )
}

/** Whom it waits for, and the way to where that is decided. */
function Approval({ id }: { id: string }) {
  const { data } = useCall('GET /workflow-item/{id}', { id }, { keepsLast: false })
  if (!data) return null
  const { Item } = data
  return (
    <p className="peek-approval">
      {words.calendar.stepOf(
        Item.Step,
        Item.Steps,
        listFew(
          Item.Missing.map(({ Name }) => Name),
          words.approvals.others,
        ),
      )}{' '}
      <a href={`/app/approvals?item=${Item.Id}`}>{words.calendar.toApproval}</a>
    </p>
  )
}

/** It missed its time: a person says what becomes of it. */
function Late({ id }: { id: string }) {
  const mayApprove = useMay()('approve')
  const { mutate, isPending } = useLateRepair()
  return (
    <div className="peek-late" role="note">
      <p>{words.calendar.lateWhy}</p>
      {mayApprove && (
        <div className="peek-row">
          <Button kind="main" busy={isPending} onClick={() => mutate({ id, action: 'send' })}>
            {words.calendar.sendNow}
          </Button>
          <Button busy={isPending} onClick={() => mutate({ id, action: 'drop' })}>
            {words.calendar.drop}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ActionsProps {
  post: Post
  status: Status | undefined
  onMove: () => void
  onSelect: () => void
  onDelete: () => void
}

function Actions({ post, status, onMove, onSelect, onDelete }: ActionsProps) {
  const mayContribute = useMay()('contribute')
  const mayChange = useMayChange()
  if (!mayContribute) return null
  const isOpen = status !== 'sent' && post.Status !== 'error' && post.Status !== 'incomplete' && mayChange(post)
  const copy = `/app/compose?copy=${post.Id}`
  return (
    <>
      {isOpen ? (
        <>
          <LinkButton kind="main" href={`/app/compose?post=${post.Id}`}>
            {words.calendar.edit}
          </LinkButton>
          <Button keys="m" onClick={onMove}>
            {words.calendar.moveTo}
          </Button>
        </>
      ) : (
        <LinkButton href={copy}>{words.calendar.duplicate}</LinkButton>
      )}
      {isOpen && (
        <Menu
          label={words.ui.more}
          side="end"
          items={[
            { label: words.calendar.duplicate, icon: 'copy', keys: 'd', run: () => go(copy) },
            { label: words.calendar.select, icon: 'check', keys: 'x', run: onSelect },
            {
              label: words.calendar.delete,
              icon: 'trash',
              keys: 'Delete',
              kind: 'danger',
              run: onDelete,
            },
          ]}
          opener={(props) => (
            <button type="button" className="button" data-kind="bare" {...props}>
              {words.ui.more}
            </button>
          )}
        />
      )}
    </>
  )
}

const most = 6

/** What the clocks of colleagues elsewhere show at a moment: `New York 05:00 · Tokyo 18:00`. */
function useTeamZones(): (moment: number) => string {
  const { data } = useCall('v2 GET /user', { _count: 100 })
  const zones = [...new Set(data?.Items.map(({ Timezone }) => Timezone))]
    .filter((zone) => zone && zone !== readersZone())
    .slice(0, most)
  return (moment) =>
    zones.map((zone) => `${zone.split('/').at(-1)?.replaceAll('_', ' ')} ${clockIn(zone, moment)}`).join(' · ')
}
