/** Profiles a function on the card: measured time in the credit-flow panel, shares beside each `wait`. */
import { type About, argumentsOf } from "../lsp.js";
import type { Command, Parts } from "../parts.js";
import type { ProfileEnd } from "../profileTypes.js";
import { notProfiled } from "../profileWords.js";
import { Refusal, type Way } from "../refusal.js";
import { demandTrust } from "../trust.js";
import { showMeasured } from "../views/flow/panel.js";
import { showShares } from "../views/stalls/decorations.js";
import { sharesOf } from "../views/stalls/shares.js";
import { functionAt } from "./functionAt.js";
import { tellUnderWay } from "./underway.js";

export const profile: Command = { id: "croqtile.profile", run: (parts, ...args) => begin(parts, args, false) };
/** In spite of the verdict on the credit flow, which keeps kernels from the card alone. */
export const profileAnyway: Command = { id: "croqtile.profileAnyway", run: (parts, ...args) => begin(parts, args, true) };

const DOCTOR: Way = { title: "Doctor", command: "croqtile.doctor" };

/** The server shows its progress, with a button that ends it. */
async function begin(parts: Parts, args: readonly unknown[], force: boolean): Promise<void> {
  demandTrust();
  const about = await functionAt(args);
  if (about === undefined) {
    return;
  }
  const end = await parts.runs.profile(about, force);
  if (end === undefined) {
    tellUnderWay(parts);
  } else {
    await show(parts, about, end);
  }
}

async function show(parts: Parts, about: About, { state, message, offer, result, uri, documentVersion }: ProfileEnd): Promise<void> {
  if (state === "cancelled") {
    return;
  }
  if (state === "refused") {
    throw new Refusal(message, offer === "doctor" ? DOCTOR : undefined);
  }
  if (result === null) {
    throw new Error(message);
  }
  const measured = result.profiles.filter(({ kernels }) => kernels.length > 0);
  if (measured.length > 0) {
    showShares(uri, documentVersion, sharesOf(measured));
    await showMeasured(parts, { ...about, entry: about.entry ?? measured[0]?.function ?? "" }, result.flow, documentVersion);
  }
  const said = notProfiled(result.profiles);
  if (said !== undefined) {
    throw new Refusal(said, offer === "force" ? anyway(about) : undefined);
  }
}

function anyway(about: About): Way {
  return { title: "Profile Anyway", command: profileAnyway.id, args: argumentsOf(about) };
}
