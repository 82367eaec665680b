import { type CSSProperties, useState } from 'react'
import { told, useCall } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dayAndClock, number, readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { leadsSomewhere } from '@/routes/router.ts'
import { dayAt, momentIfAny, zoneLens } from '@/time/days.ts'
import { NetworkMark, networkName, StatusMark } from '@/ui/badges.tsx'
import { Button, LinkButton } from '@/ui/button.tsx'
import { Panel } from '@/ui/layout.tsx'
import { Menu } from '@/ui/menu.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { type Campaign, signOf } from './campaign.ts'
import { CampaignSettings, LinkSettings } from './campaign-settings.tsx'
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

type Answered = { Data: readonly { [key: string]: string | number | null }[] }

/** What came of a campaign: all of it, and by network. */
function Figures({ campaign }: { campaign: Campaign }) {
  const w = words.campaigns
  const all: [name: string, value: number][] = [
    [w.allPosts, campaign.TotalPosts],
    [w.planned, campaign.TotalPendingPosts],
    [w.drafts, campaign.TotalDraftPosts],
    [w.clicks, campaign.Clicks],
    [w.conversions, campaign.Converts],
    [w.comments, campaign.Comments],
    [w.likes, campaign.Likes],
  ]
  return (
    <section className="campaign-part">
      <h3 className="panel-title">{w.figures}</h3>
      <dl className="campaign-figures">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{number(value)}</dd>
          </div>
        ))}
      </dl>
      <ByNetwork id={campaign.Id} />
    </section>
  )
}

const asked = (source: 'post' | 'click' | 'conversion', measures: string[], id: string) => ({
  ...({ source, measures, dimension: 'network', range: 'last24Months', filters: { campaign: [id] } } as const),
})

function ByNetwork({ id }: { id: string }) {
  const w = words.campaigns
  const { data: posts } = useCall('POST /report', asked('post', ['postsSent', 'postsFailed'], id), { keepsLast: false })
  const { data: clicks } = useCall('POST /report', asked('click', ['clicks'], id), { keepsLast: false })
  const { data: converts } = useCall('POST /report', asked('conversion', ['conversions'], id), { keepsLast: false })
  if (!posts) return null
  const figureOf = (answer: Answered | undefined, network: string, name: string) =>
    Number(answer?.Data.find(({ Network }) => Network === network)?.[name] ?? 0)
  const networks = [
    ...new Set(
      [posts, clicks, converts]
        .flatMap((answer) => (answer as Answered | undefined)?.Data ?? [])
        .map(({ Network }) => String(Network)),
    ),
  ]
    .map((network) => ({
      network,
      sent: figureOf(posts, network, 'PostsSent'),
      failed: figureOf(posts, network, 'PostsFailed'),
      clicks: figureOf(clicks, network, 'Clicks'),
      converts: figureOf(converts, network, 'Conversions'),
    }))
    .filter((row) => row.network !== 'null' && row.sent + row.failed + row.clicks + row.converts > 0)
  if (networks.length === 0) return <p className="quiet">{w.noFigures}</p>
  return (
    <table className="campaign-networks">
      <caption>{w.byNetwork}</caption>
      <thead>
        <tr>
          {[w.network, w.sent, w.failed, w.clicks, w.conversions].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {networks.map((row) => (
          <tr key={row.network}>
            <th scope="row">
              <NetworkMark network={row.network} /> {networkName(row.network)}
            </th>
            <td>{number(row.sent)}</td>
            <td>{number(row.failed)}</td>
            <td>{number(row.clicks)}</td>
            <td>{number(row.converts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
