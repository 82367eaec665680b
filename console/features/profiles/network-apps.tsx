import { type ReactNode, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { errorDetails, useApiMutation, useApiQuery } from '@/api/queries.ts'
import { formatDate, formatDateTime } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { setSearch } from '@/routes/router.ts'
import { parseOptionalTimestamp, parseTimestamp } from '@/time/days.ts'
import { NetworkIcon, networkName, type Status, StatusBadge } from '@/ui/badges.tsx'
import { Button } from '@/ui/button.tsx'
import * as fieldStyles from '@/ui/field.module.css'
import { CopyButton } from '@/ui/field.tsx'
import * as layoutStyles from '@/ui/layout.module.css'
import { Detail, Panel } from '@/ui/layout.tsx'
import { ErrorMessage, Loading, Progress } from '@/ui/states.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './network-apps.module.css'
import * as profilesStyles from './profiles.module.css'

/** The installation's apps at the networks: setup and API usage. The open one is in the URL. */
export function NetworkApps({ open }: { open: string }) {
  const { data, error, refetch } = useApiQuery('GET /network-setup', {})
  const usage = useApiQuery('GET /network-use', {}).data?.Items ?? []
  const chosen = data?.Items.find(({ Network }) => Network === open)
  const figuresOf = ({ Network }: Setup) => usage.find((one) => one.Network === Network)
  return (
    <div data-testid="network-apps" className={`${profilesStyles.profiles} ${styles.networkApps}`}>
      <div data-testid="profiles-list" className={profilesStyles.list}>
        <p className="muted">{texts.networkApps.why}</p>
        {error && <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Loading />}
        {data?.PublicUrlProblem && <p className={styles.note}>{data.PublicUrlProblem}</p>}
        <ul className={profilesStyles.cards}>
          {data?.Items.map((setup) => (
            <li key={setup.Network}>
              <AppCard
                setup={setup}
                use={figuresOf(setup)}
                isOpen={setup.Network === open}
                onOpen={() => setSearch({ app: setup.Network })}
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
          onClose={() => setSearch({ app: '' })}
        />
      )}
    </div>
  )
}

interface AppCardProps {
  setup: Setup
  use: Usage | undefined
  isOpen: boolean
  onOpen: () => void
}

/** One network: status and its most important metric. */
function AppCard({ setup, use, isOpen, onOpen }: AppCardProps) {
  const { Network, State, Problems, Missing } = setup
  const [budget] = use?.Budgets ?? []
  return (
    <button
      type="button"
      data-testid="profile-card"
      className={profilesStyles.card}
      data-open={isOpen || undefined}
      onClick={onOpen}
    >
      <span className={profilesStyles.head}>
        <NetworkIcon network={Network} />
        <span className={profilesStyles.name}>{networkName(Network)}</span>
      </span>
      <span className={profilesStyles.state}>
        <SetupMark setup={setup} />
      </span>
      {Problems[0] && <span>{Problems[0]}</span>}
      {State === 'missing' && <span>{Missing.map(({ Setting }) => Setting).join(', ')}</span>}
      {budget && (
        <span>
          {budgetName(budget.Name)} {texts.networkApps.windows[budget.Window]}: {usageOf(budget)}
        </span>
      )}
      <span className="muted">
        {texts.networkApps.version} {setup.Version}. {versionEnd(setup)}
      </span>
    </button>
  )
}

type Finding = Body<'POST /network-setup/{network}/check'>['Items'][number]

interface PanelProps {
  setup: Setup
  use: Usage | undefined
  onClose: () => void
}

/** One network's app: values to register, checks and API usage. */
function NetworkAppPanel({ setup, use, onClose }: PanelProps) {
  const { Network } = setup
  const [findings, setFindings] = useState<readonly Finding[]>()
  const check = useApiMutation('POST /network-setup/{network}/check', {
    invalidates: ['GET /network-setup', 'GET /network-use'],
    onSuccess({ Items }) {
      setFindings(Items)
      const count = (outcome: Finding['Outcome']) => Items.filter(({ Outcome }) => Outcome === outcome).length
      toast(texts.networkApps.checked(count('problem'), count('unknown')))
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  return (
    <Panel
      title={
        <span className={profilesStyles.title}>
          <NetworkIcon network={Network} />
          {networkName(Network)}
        </span>
      }
      onClose={onClose}
      actions={
        <Button
          variant="primary"
          icon="again"
          busy={check.isPending}
          onClick={() => check.mutate({ network: Network })}
        >
          {texts.networkApps.check}
        </Button>
      }
    >
      <SetupStatus setup={setup} />
      <Section title={texts.networkApps.checks}>
        {findings ? <Findings findings={findings} /> : <p className="muted">{texts.networkApps.checksWhy}</p>}
      </Section>
      <Registration setup={setup} />
      <Scopes setup={setup} />
      <Section title={texts.networkApps.review}>
        <p>{setup.Review}</p>
        <p className="muted">
          {texts.networkApps.guide}: <code>{setup.Guide}</code>
        </p>
      </Section>
      <Section title={texts.networkApps.version}>
        <p>
          {setup.Version}. {versionEnd(setup)}.
        </p>
        <p className="muted">{texts.networkApps.versionSetting(setup.VersionSetting)}</p>
        {setup.VersionSource && (
          <p className={`muted ${styles.source}`}>
            {texts.networkApps.source}: {setup.VersionSource}
          </p>
        )}
      </Section>
      {use && <UsageSection use={use} />}
    </Panel>
  )
}

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h3 className={layoutStyles.panelTitle}>{title}</h3>
    {children}
  </section>
)

const SetupStatus = ({ setup }: { setup: Setup }) => (
  <div data-testid="profile-status" className={profilesStyles.status}>
    <SetupMark setup={setup} />
    {setup.IsSandbox === 1 && <p>{texts.networkApps.sandboxWhy}</p>}
    {setup.Problems.map((problem) => (
      <p key={problem}>{problem}</p>
    ))}
    {setup.Missing.length > 0 && (
      <div>
        <h3 className={layoutStyles.panelTitle}>{texts.networkApps.missing}</h3>
        <ul className={styles.settings}>
          {setup.Missing.map(({ Setting, Means }) => (
            <li key={Setting}>
              <code>{Setting}</code> <span className="muted">{Means}</span>
            </li>
          ))}
        </ul>
      </div>
    )}
  </div>
)

const outcomeStatus: { [outcome in Finding['Outcome']]: Status } = { ok: 'sent', problem: 'failed', unknown: 'unsure' }

const Findings = ({ findings }: { findings: readonly Finding[] }) => (
  <ul data-testid="network-apps-findings" className={styles.findings}>
    {findings.map(({ What, Outcome, Text }) => (
      <li key={`${What} ${Text}`}>
        <StatusBadge status={outcomeStatus[Outcome]}>{texts.networkApps.outcomes[Outcome]}</StatusBadge>
        <strong dir="auto">{What}</strong>
        <span dir="auto">{Text}</span>
      </li>
    ))}
  </ul>
)

/** A value to enter at the network: never truncated, because it is compared character by character. */
const CopyableValue = ({ label, text }: { label: string; text: string }) => (
  <div className={styles.value}>
    <span className={fieldStyles.frameLabel}>{label}</span>
    <CopyButton text={text} label={texts.networkApps.copy(label)} />
    <code>{text}</code>
  </div>
)

function Registration({ setup }: { setup: Setup }) {
  const { RedirectUrl, WebhookUrl, Registration: registration, Challenge, VerifyToken, WebhookFields } = setup
  const [challenged, delivered] = [parseOptionalTimestamp(setup.Challenged), parseOptionalTimestamp(setup.Delivered)]
  const at = (moment: number | undefined) => (moment === undefined ? texts.networkApps.never : formatDateTime(moment))
  return (
    <Section title={texts.networkApps.register}>
      {RedirectUrl && <CopyableValue label={texts.networkApps.redirectUrl} text={RedirectUrl} />}
      {WebhookUrl && <CopyableValue label={texts.networkApps.webhookUrl} text={WebhookUrl} />}
      <p className="muted">{texts.networkApps.registration[registration]}</p>
      {VerifyToken && <CopyableValue label={texts.networkApps.verifyToken} text={VerifyToken} />}
      {!VerifyToken && Challenge === 'verify-token' && setup.State !== 'missing' && (
        <p className="muted">
          {texts.networkApps.verifyToken}: {texts.networkApps.verifyTokenElsewhere}
        </p>
      )}
      <dl className={profilesStyles.facts}>
        {WebhookFields.length > 0 && (
          <Detail name={texts.networkApps.webhookFields}>
            <code>{WebhookFields.join(', ')}</code>
          </Detail>
        )}
        <Detail name={texts.networkApps.lastChallenge}>
          {Challenge === 'none' ? texts.networkApps.noChallenge : at(challenged)}
        </Detail>
        <Detail name={texts.networkApps.lastDelivery}>{at(delivered)}</Detail>
      </dl>
    </Section>
  )
}

const Scopes = ({ setup }: { setup: Setup }) => (
  <Section title={texts.networkApps.scopes}>
    <ul className={styles.recipes}>
      {setup.Recipes.map(({ Name, Help, Setting, Scopes: scopes, IsCurrent }) => (
        <li key={Name} data-current={IsCurrent || undefined}>
          <span className={styles.recipe}>
            <strong>{Name}</strong>
            {IsCurrent === 1 && setup.State !== 'missing' && (
              <StatusBadge status="sent">{texts.networkApps.inUse}</StatusBadge>
            )}
            <CopyButton text={scopes.join(' ')} label={texts.networkApps.copyScopes} />
          </span>
          <span>{Help}</span>
          {Setting && <code>{Setting}</code>}
          <code className={styles.scopes}>{scopes.join(' ')}</code>
        </li>
      ))}
    </ul>
  </Section>
)

const UsageSection = ({ use: { Budgets, CallsToday, Pauses } }: { use: Usage }) => (
  <Section title={texts.networkApps.use}>
    <p className="muted">{texts.networkApps.callsToday(CallsToday)}</p>
    {Budgets.length === 0 && <p className="muted">{texts.networkApps.useNone}</p>}
    <ul data-testid="network-apps-budgets" className={styles.budgets}>
      {Budgets.map((budget) => {
        const { Name, Window, Unit, Used, Limit, Forecast, Resets, Setting } = budget
        const label = `${budgetName(Name)} ${texts.networkApps.windows[Window]}`
        return (
          <li key={Name}>
            <span className={styles.recipe}>
              <strong>{label}</strong>
              <span className="tabular-nums">{usageOf(budget)}</span>
            </span>
            {Limit !== null && Limit > 0 && <Progress label={label} part={Math.min(1, Used / Limit)} />}
            <span>
              {texts.networkApps.forecast(
                texts.networkApps.amount(Forecast, Unit),
                formatDateTime(parseTimestamp(Resets)),
              )}
            </span>
            {Setting && <span className="muted">{texts.networkApps.limitedBy(Setting)}</span>}
          </li>
        )
      })}
    </ul>
    {Pauses.map(({ Scope, Of, Until }) => (
      <p key={`${Scope} ${Of}`}>{texts.networkApps.waits(formatDateTime(parseTimestamp(Until)))}</p>
    ))}
  </Section>
)

/** Setup and API usage of the app at a network. */
export type Setup = Body<'GET /network-setup'>['Items'][number]
export type Usage = Body<'GET /network-use'>['Items'][number]

const stateStatus: { [state in Setup['State']]: Status } = { missing: 'draft', attention: 'waiting', ready: 'sent' }

const SetupMark = ({ setup: { State, IsSandbox } }: { setup: Setup }) => (
  <StatusBadge status={IsSandbox ? 'planned' : stateStatus[State]}>
    {texts.networkApps.states[IsSandbox ? 'sandbox' : State]}
  </StatusBadge>
)

/** End of life of the API version in use, as a sentence. */
function versionEnd({ VersionState, VersionEnds, VersionIsEstimate }: Setup): string {
  const ends = parseOptionalTimestamp(VersionEnds)
  if (VersionState === 'unknown') return texts.networkApps.versionUnknown
  if (VersionState === 'undated' || ends === undefined) return texts.networkApps.versionUndated
  const day = formatDate(ends)
  if (VersionIsEstimate && VersionState !== 'ended') return texts.networkApps.versionAbout(day)
  return texts.networkApps.versionEnds[VersionState](day)
}

type Budget = Usage['Budgets'][number]

const budgetName = (name: string): string =>
  (texts.networkApps.budgets as { readonly [name: string]: string })[name] ?? name

function usageOf({ Used, Limit, Unit }: Budget): string {
  const amount = (value: number) => texts.networkApps.amount(value, Unit)
  return texts.networkApps.used(amount(Used), Limit === null ? '' : amount(Limit))
}
