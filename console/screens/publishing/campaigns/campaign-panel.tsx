import { type CSSProperties, useState } from 'react'
import { leadsSomewhere } from '../../../shell/router.ts'
import { dayAt, momentIfAny } from '../../../time/days.ts'
import { zoneLens } from '../../../time/zone-lens.ts'
import { Button, LinkButton } from '../../../ui/inputs/button.tsx'
import { Menu } from '../../../ui/layers/menu.tsx'
import { Panel } from '../../../ui/layers/panel.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { NetworkMark } from '../../../ui/marks/network-mark.tsx'
import { StatusMark } from '../../../ui/marks/status.tsx'
import { told, useCall } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { dayAndClock, readersZone } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { type Campaign, signOf } from './campaign.ts'
import { CampaignSettings } from './campaign-settings.tsx'
import { Figures } from './figures.tsx'
import { LinkSettings } from './link-settings.tsx'
import { StatusDialog, type Turn } from './status-dialog.tsx'

/** One campaign: what came of it, what is planned, and how it is set up. */
export function CampaignPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const may = useMay()
  const { data, error, refetch } = useCall('v2 GET /campaign/{id}', { id, withTags: 1 }, { keepsLast: false })
  const campaign = data?.Campaign
  const [turn, setTurn] = useState<Turn>()
  return (
    <Panel
      title={
        campaign ? (
          <span className="campaign-name">
            <span className="swatch" style={{ '--swatch': campaign.Color } as CSSProperties} />
            <span dir="auto">{campaign.Name}</span>
          </span>
        ) : (
          words.campaigns.title
        )
      }
      onClose={onClose}
      actions={campaign && may('approve') && <Actions campaign={campaign} onTurn={setTurn} />}
    >
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!campaign && !error && <Waiting />}
      {campaign && (
        <>
          <p>
            <StatusMark status={signOf[campaign.Status]}>{words.campaigns.statuses[campaign.Status]}</StatusMark>
          </p>
          <Figures campaign={campaign} />
          <Planned campaign={campaign} />
          <Messages id={id} />
          {may('contribute') && <CampaignSettings campaign={campaign} />}
          <LinkSettings campaign={campaign} />
        </>
      )}
      {campaign && turn && (
        <StatusDialog campaign={campaign} turn={turn} onClose={() => setTurn(undefined)} onDeleted={onClose} />
      )}
    </Panel>
  )
}

/** What goes out next, and the way to all of it. */
function Planned({ campaign }: { campaign: Campaign }) {
  const w = words.campaigns
  const { data } = useCall('GET /campaign/{id}/consequences', { id: campaign.Id }, { keepsLast: false })
  const next = data && momentIfAny(data.Next)
  const compose = `/app/compose?campaign=${campaign.Id}`
  const mayWrite = useMay()('contribute') && leadsSomewhere(compose) && campaign.Status !== 'archived'
  return (
    <section className="campaign-part">
      {next !== undefined && <p>{w.next(dayAndClock(next))}</p>}
      <div className="campaign-row">
        <LinkButton
          icon="calendar"
          href={`/app/calendar?campaign=${campaign.Id}${next === undefined ? '' : `&day=${dayOn(next)}`}`}
        >
          {w.inCalendar}
        </LinkButton>
        {mayWrite && (
          <LinkButton icon="plus" href={compose}>
            {w.newPost}
          </LinkButton>
        )}
      </div>
    </section>
  )
}

/** On the reader's wall clock. */
const dayOn = (moment: number) => dayAt(zoneLens(readersZone(), moment, moment), moment)

const shown = 5

function Messages({ id }: { id: string }) {
  const w = words.campaigns
  const { data } = useCall('v2 GET /message', { campaignId: id, _count: shown }, { keepsLast: false })
  if (!data) return null
  return (
    <section className="campaign-part">
      <h3 className="panel-title">
        {w.messages} <small className="quiet number">{data.Total}</small>
      </h3>
      {data.Items.length === 0 && <p className="quiet">{w.noMessages}</p>}
      <ul className="campaign-messages">
        {data.Items.map(({ Id, Network, Message }) => (
          <li key={Id}>
            <NetworkMark network={Network} label />
            <span dir="auto">{Message}</span>
          </li>
        ))}
      </ul>
      {data.Total > shown && <p className="quiet">{w.moreMessages(data.Total - shown)}</p>}
    </section>
  )
}

function Actions({ campaign, onTurn }: { campaign: Campaign; onTurn: (turn: Turn) => void }) {
  const w = words.campaigns
  const isActive = campaign.Status === 'active'
  return (
    <>
      <Button kind={isActive ? undefined : 'main'} onClick={() => onTurn(isActive ? 'paused' : 'active')}>
        {isActive ? w.pause : w.resume}
      </Button>
      {campaign.Status !== 'archived' && <Button onClick={() => onTurn('archived')}>{w.archive}</Button>}
      <Menu
        label={words.ui.more}
        side="end"
        items={[{ label: w.delete, icon: 'trash', kind: 'danger', run: () => onTurn('deleted') }]}
        opener={(props) => (
          <button type="button" className="button" data-kind="bare" {...props}>
            {words.ui.more}
          </button>
        )}
      />
    </>
  )
}
