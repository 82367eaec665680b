import { type ReactNode, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange } from '@/api/queries.ts'
import { dayAndClock, shortDay } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch } from '@/routes/router.ts'
import { momentIfAny, momentOf } from '@/time/days.ts'
import { NetworkMark, networkName, type Status, StatusMark } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import { CopyButton } from '@/ui/field.tsx'
import { Fact, Panel } from '@/ui/layout.tsx'
import { Problem, Progress, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'

/** The installation's apps at networks: how each is set up, and what it uses. The open one stands in the address. */
export function NetworkApps({ open }: { open: string }) {
  const { data, error, refetch } = useCall('GET /network-setup', {})
  const figures = useCall('GET /network-use', {}).data?.Items ?? []
  const chosen = data?.Items.find(({ Network }) => Network === open)
  const figuresOf = ({ Network }: Setup) => figures.find((one) => one.Network === Network)
  return (
    <div className="profiles network-apps">
      <div className="profiles-list">
        <p className="quiet">{words.networkApps.why}</p>
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.PublicUrlProblem && <p className="network-apps-note">{data.PublicUrlProblem}</p>}
        <ul className="profiles-cards">
          {data?.Items.map((setup) => (
            <li key={setup.Network}>
              <AppCard
                setup={setup}
                use={figuresOf(setup)}
                isOpen={setup.Network === open}
                onOpen={() => changeSearch({ app: setup.Network })}
              />
            </li>
          ))}
        </ul>
      </div>
      {chosen && (
        <NetworkAppPanel
          key={chosen.Network}
          setup={chosen}
          use={figuresOf(chosen)}
          onClose={() => changeSearch({ app: '' })}
        />
      )}
    </div>
  )
}

interface AppCardProps {
  setup: Setup
  use: Use | undefined
  isOpen: boolean
  onOpen: () => void
}

/** One network: its state, and the figure that matters first. */
function AppCard({ setup, use, isOpen, onOpen }: AppCardProps) {
  const { Network, State, Problems, Missing } = setup
  const [budget] = use?.Budgets ?? []
  return (
    <button type="button" className="profile-card" data-open={isOpen || undefined} onClick={onOpen}>
      <span className="profile-head">
        <NetworkMark network={Network} />
        <span className="profile-name">{networkName(Network)}</span>
      </span>
      <span className="profile-state">
        <SetupMark setup={setup} />
      </span>
      {Problems[0] && <span>{Problems[0]}</span>}
      {State === 'missing' && <span>{Missing.map(({ Setting }) => Setting).join(', ')}</span>}
      {budget && (
        <span>
          {budgetName(budget.Name)} {words.networkApps.windows[budget.Window]}: {usedOf(budget)}
        </span>
      )}
      <span className="quiet">
        {words.networkApps.version} {setup.Version}. {versionEnd(setup)}
      </span>
    </button>
  )
}

type Finding = Body<'POST /network-setup/{network}/check'>['Items'][number]

interface PanelProps {
  setup: Setup
  use: Use | undefined
  onClose: () => void
}

/** One network's app: what to register, what is checked, and what it uses. */
function NetworkAppPanel({ setup, use, onClose }: PanelProps) {
  const { Network } = setup
  const [findings, setFindings] = useState<readonly Finding[]>()
  const check = useChange('POST /network-setup/{network}/check', {
    stale: ['GET /network-setup', 'GET /network-use'],
    done({ Items }) {
      setFindings(Items)
      const count = (outcome: Finding['Outcome']) => Items.filter(({ Outcome }) => Outcome === outcome).length
      say(words.networkApps.checked(count('problem'), count('unknown')))
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  return (
    <Panel
      title={
        <span className="profile-title">
          <NetworkMark network={Network} />
          {networkName(Network)}
        </span>
      }
      onClose={onClose}
      actions={
        <Button kind="main" icon="again" busy={check.isPending} onClick={() => check.mutate({ network: Network })}>
          {words.networkApps.check}
        </Button>
      }
    >
      <Verdict setup={setup} />
      <Section title={words.networkApps.checks}>
        {findings ? <Findings findings={findings} /> : <p className="quiet">{words.networkApps.checksWhy}</p>}
      </Section>
      <Registration setup={setup} />
      <Scopes setup={setup} />
      <Section title={words.networkApps.review}>
        <p>{setup.Review}</p>
        <p className="quiet">
          {words.networkApps.guide}: <code>{setup.Guide}</code>
        </p>
      </Section>
      <Section title={words.networkApps.version}>
        <p>
          {setup.Version}. {versionEnd(setup)}.
        </p>
        <p className="quiet">{words.networkApps.versionSetting(setup.VersionSetting)}</p>
        {setup.VersionSource && (
          <p className="quiet network-apps-source">
            {words.networkApps.source}: {setup.VersionSource}
          </p>
        )}
      </Section>
      {use && <Using use={use} />}
    </Panel>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="network-apps-part">
    <h3 className="panel-title">{title}</h3>
    {children}
  </section>
)

const Verdict = ({ setup }: { setup: Setup }) => (
  <div className="profile-verdict">
    <SetupMark setup={setup} />
    {setup.IsSandbox === 1 && <p>{words.networkApps.sandboxWhy}</p>}
    {setup.Problems.map((problem) => (
      <p key={problem}>{problem}</p>
    ))}
    {setup.Missing.length > 0 && (
      <div>
        <h3 className="panel-title">{words.networkApps.missing}</h3>
        <ul className="network-apps-settings">
          {setup.Missing.map(({ Setting, Means }) => (
            <li key={Setting}>
              <code>{Setting}</code> <span className="quiet">{Means}</span>
            </li>
          ))}
        </ul>
      </div>
    )}
  </div>
)

const outcomeStatus: { [outcome in Finding['Outcome']]: Status } = { ok: 'sent', problem: 'failed', unknown: 'unsure' }

const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul className="network-apps-findings">
    {findings.map(({ What, Outcome, Text }) => (
      <li key={`${What} ${Text}`}>
        <StatusMark status={outcomeStatus[Outcome]}>{words.networkApps.outcomes[Outcome]}</StatusMark>
        <strong dir="auto">{What}</strong>
        <span dir="auto">{Text}</span>
      </li>
    ))}
  </ul>
)

/** What is entered at the network: shown whole, since it is compared character by character. */
const Entered = ({ label, text }: { label: string; text: string }) => (
  <div className="network-apps-entered">
    <span className="frame-label">{label}</span>
    <CopyButton text={text} label={words.networkApps.copy(label)} />
    <code>{text}</code>
  </div>
)

function Registration({ setup }: { setup: Setup }) {
  const { RedirectUrl, WebhookUrl, Registration: how, Challenge, VerifyToken, WebhookFields } = setup
  const [challenged, delivered] = [momentIfAny(setup.Challenged), momentIfAny(setup.Delivered)]
  const at = (moment: number | undefined) => (moment === undefined ? words.networkApps.never : dayAndClock(moment))
  return (
    <Section title={words.networkApps.register}>
      {RedirectUrl && <Entered label={words.networkApps.redirectUrl} text={RedirectUrl} />}
      {WebhookUrl && <Entered label={words.networkApps.webhookUrl} text={WebhookUrl} />}
      <p className="quiet">{words.networkApps.registration[how]}</p>
      {VerifyToken && <Entered label={words.networkApps.verifyToken} text={VerifyToken} />}
      {!VerifyToken && Challenge === 'verify-token' && setup.State !== 'missing' && (
        <p className="quiet">
          {words.networkApps.verifyToken}: {words.networkApps.verifyTokenElsewhere}
        </p>
      )}
      <dl className="profile-facts">
        {WebhookFields.length > 0 && (
          <Fact name={words.networkApps.webhookFields}>
            <code>{WebhookFields.join(', ')}</code>
          </Fact>
        )}
        <Fact name={words.networkApps.lastChallenge}>
          {Challenge === 'none' ? words.networkApps.noChallenge : at(challenged)}
        </Fact>
        <Fact name={words.networkApps.lastDelivery}>{at(delivered)}</Fact>
      </dl>
    </Section>
  )
}

const Scopes = ({ setup }: { setup: Setup }) => (
  <Section title={words.networkApps.scopes}>
    <ul className="network-apps-recipes">
      {setup.Recipes.map(({ Name, Help, Setting, Scopes: scopes, IsCurrent }) => (
        <li key={Name} data-current={IsCurrent || undefined}>
          <span className="network-apps-recipe">
            <strong>{Name}</strong>
            {IsCurrent === 1 && setup.State !== 'missing' && (
              <StatusMark status="sent">{words.networkApps.inUse}</StatusMark>
            )}
            <CopyButton text={scopes.join(' ')} label={words.networkApps.copyScopes} />
          </span>
          <span>{Help}</span>
          {Setting && <code>{Setting}</code>}
          <code className="network-apps-scopes">{scopes.join(' ')}</code>
        </li>
      ))}
    </ul>
  </Section>
)

const Using = ({ use: { Budgets, CallsToday, Pauses } }: { use: Use }) => (
  <Section title={words.networkApps.use}>
    <p className="quiet">{words.networkApps.callsToday(CallsToday)}</p>
    {Budgets.length === 0 && <p className="quiet">{words.networkApps.useNone}</p>}
    <ul className="network-apps-budgets">
      {Budgets.map((budget) => {
        const { Name, Window, Unit, Used, Limit, Forecast, Resets, Setting } = budget
        const label = `${budgetName(Name)} ${words.networkApps.windows[Window]}`
        return (
          <li key={Name}>
            <span className="network-apps-recipe">
              <strong>{label}</strong>
              <span className="number">{usedOf(budget)}</span>
            </span>
            {Limit !== null && Limit > 0 && <Progress label={label} part={Math.min(1, Used / Limit)} />}
            <span>
              {words.networkApps.forecast(words.networkApps.amount(Forecast, Unit), dayAndClock(momentOf(Resets)))}
            </span>
            {Setting && <span className="quiet">{words.networkApps.limitedBy(Setting)}</span>}
          </li>
        )
      })}
    </ul>
    {Pauses.map(({ Scope, Of, Until }) => (
      <p key={`${Scope} ${Of}`}>{words.networkApps.waits(dayAndClock(momentOf(Until)))}</p>
    ))}
  </Section>
)

/** How the app at a network is set up, and what it uses. */
export type Setup = Body<'GET /network-setup'>['Items'][number]
export type Use = Body<'GET /network-use'>['Items'][number]

const stateStatus: { [state in Setup['State']]: Status } = { missing: 'draft', attention: 'waiting', ready: 'sent' }

const SetupMark = ({ setup: { State, IsSandbox } }: { setup: Setup }) => (
  <StatusMark status={IsSandbox ? 'planned' : stateStatus[State]}>
    {words.networkApps.states[IsSandbox ? 'sandbox' : State]}
  </StatusMark>
)

/** When the version in use ends, in a sentence. */
function versionEnd({ VersionState, VersionEnds, VersionIsEstimate }: Setup): string {
  const ends = momentIfAny(VersionEnds)
  if (VersionState === 'unknown') return words.networkApps.versionUnknown
  if (VersionState === 'undated' || ends === undefined) return words.networkApps.versionUndated
  const day = shortDay(ends)
  if (VersionIsEstimate && VersionState !== 'ended') return words.networkApps.versionAbout(day)
  return words.networkApps.versionEnds[VersionState](day)
}

type Budget = Use['Budgets'][number]

const budgetName = (name: string): string =>
  (words.networkApps.budgets as { readonly [name: string]: string })[name] ?? name

function usedOf({ Used, Limit, Unit }: Budget): string {
  const amount = (value: number) => words.networkApps.amount(value, Unit)
  return words.networkApps.used(amount(Used), Limit === null ? '' : amount(Limit))
}
