/* SPDX-License-Identifier: Apache-2.0
 *
 * Epochs: a controller and three nodes whose messages may be lost and late, and who may crash and
 * start again. It follows control/epoch_coordinator, control/adjacency_indices, control/fib_builder
 * (two epochs for a change) and node/agent; names here are the names there. docs/control_plane.md
 * says what is shown and what is left out; model_test.py runs it, also with one fault of the code
 * at a time put in (-DMUTATION_...), which each has to be found.
 *
 * What is shown:
 *   prepared    no node publishes what was not prepared by all members live at the time
 *   indices     an adjacency index is not given out while an epoch that names it may be in use
 *   convergence every run ends, and it ends with every live node at the controller's epoch and
 *               content, and the content being what is wanted. Faults are bounded in number.
 *   in step     without faults, what a node names its egress node has got
 *
 * A FIB's content is one egress node's adjacencies (index -> neighbour A or B) and the group of
 * each neighbour (none, or the index that it names). The content is its own digest.
 */
#ifndef FAULTS
#define FAULTS 2
#endif
#ifndef CHANGES
#define CHANGES 2
#endif
#ifndef CONTROLLER_CRASHES
#define CONTROLLER_CRASHES 1
#endif
#ifndef KEEPER
#define KEEPER NODES  /* the node that has its FIB on disk; NODES: none */
#endif
#define NODES 3
#define EGRESS 0      /* the node that has the adjacencies */
#define INDICES 4
#define QUEUE 3       /* messages that may wait for one peer */
#define NONE 7        /* no index */
#define EPOCHS 20
#define KEEPS(n) ((n) == KEEPER)  /* started with --state */
#define KEEPS_NOTHING 255

/* ---- contents. Of each neighbour in 4 bits: 1 + index of its adjacency, 0 if it has none; and
 * whether its group names that. */
#define PLACE(c, x)        (((c) >> (4 * (x))) & 7)
#define NAMED(c, x)        (((c) >> (4 * (x) + 3)) & 1)
#define WITH(c, x, what)   (((c) & (255 ^ (15 << (4 * (x))))) | ((what) << (4 * (x))))
#define NAMES(c, x, k)     (NAMED(c, x) && PLACE(c, x) == (k) + 1)
/* The neighbour that has the index is another one than x. */
#define TAKEN_FROM(c, x, k) (PLACE(c, 1 - (x)) == (k) + 1)
#define OF_A 9             /* A at index 0, and named */
#define NEVER 254     /* no content */
#define UNSOUND 255   /* a delta over another content than it was made for */

mtype = { Hello, Status, Prepared, Refused, Committed, NodeSnapshot,
          Welcome, HelloRequest, Prepare, PrepareSnapshot, Commit, SnapshotRequest };

/* kind, epoch, content, base epoch or boot id or kept epoch, content of the base or kept */
chan to_node[NODES] = [QUEUE] of { mtype, byte, byte, byte, byte };
chan to_controller[NODES] = [QUEUE] of { mtype, byte, byte, byte, byte };
#define QUIET(i) (len(to_node[i]) == 0 && len(to_controller[i]) == 0)

/* ---- node/agent.hh */
typedef Agent {
  bit runs; bit joined;
  byte boot_id;
  byte epoch; byte content;                        /* active() */
  byte kept_epoch; byte kept_content;              /* node/state_keeper.hh: on its disk */
  bit prepared; byte prepared_epoch; byte prepared_content;
};
Agent node[NODES];

/* ---- control/epoch_coordinator.hh: what it knows of a node, and its transaction */
#define none 0
#define preparing 1
#define prepared_ 2
#define committing_ 3
#define done 4
typedef Known {
  bit up; bit in_sync; bit retry_later;            /* now < retry_at */
  byte epoch; byte digest; byte ours; byte kept; byte boot_id;
  byte phase;
  bit asked_in_vain;
};
Known known[NODES];
byte epoch_, content_, highest_seen;
bit transaction, committing;
bit recovering, took_over;
byte made[EPOCHS] = NEVER;                          /* the content of each epoch of its own */
byte asked;                                        /* NODES: nobody */

/* ---- control/fib_builder.hh and adjacency_indices.hh */
typedef Neighbor { bit wanted; bit stale; bit stale_group; byte index; };
Neighbor neighbor[2];
byte resting[INDICES];                             /* the epoch it is gone with; 0: not resting */
byte ceiling = 1;                                  /* durable: none at or above was ever used */
bit settled;

/* ---- what is left to happen */
byte faults = FAULTS, changes = CHANGES, crashes = CONTROLLER_CRASHES;

/* ---- registers, 0 between steps */
hidden mtype kind;
hidden byte i, j, k, x, e, c, b, bc, next, base, base_content, least;
hidden byte only_behind, any, ahead, sent;

/* ======== properties */

/* Called at every publication. A frame that an old FIB sent must meet an unknown adjacency, never
 * somebody else's. */
inline check_indices() {
  for (j : 0 .. NODES - 1) {
    for (x : 0 .. 1) {
      if
      :: node[j].runs && node[EGRESS].runs && NAMED(node[j].content, x) ->
         k = PLACE(node[j].content, x) - 1;
         assert(!TAKEN_FROM(node[EGRESS].content, x, k));
#if FAULTS == 0 && CONTROLLER_CRASHES == 0
         assert(PLACE(node[EGRESS].content, x) == k + 1)
#endif
      :: else
      fi
    }
  }
}

/* At allocate(): nobody holds what names it, or could still be told to publish such. */
inline check_unused(index) {
  for (j : 0 .. NODES - 1) {
    assert(!node[j].runs || (!NAMES(node[j].content, 0, index) && !NAMES(node[j].content, 1, index)));
    assert(!NAMES(node[j].kept_content, 0, index) && !NAMES(node[j].kept_content, 1, index))
  }
}

/* At start_committing(): who was asked, and was not left behind since, has it. One that has started
 * anew since then has nothing, and the controller is about to hear of it. */
inline check_prepared() {
  for (j : 0 .. NODES - 1) {
    assert(known[j].phase == none || !node[j].runs || node[j].boot_id != known[j].boot_id ||
           (node[j].prepared && node[j].prepared_epoch == epoch_ &&
            node[j].prepared_content == content_) ||
           (node[j].epoch == epoch_ && node[j].content == content_))
  }
}

#include "epoch_coordinator.pml"
#include "fib_builder.pml"
#include "agent.pml"

/* ======== control/controller.cc: dispatch() */

inline controller_takes(n) {
  to_controller[n]?kind, e, c, b, bc;
  if
  :: kind == Hello -> on_hello(n)
  :: kind != Hello && known[n].boot_id == 0 ->
     tell(n, HelloRequest, 0, 0, 0, 0)
  :: kind == Status && known[n].boot_id != 0 -> on_status(n)
  :: kind == Prepared && known[n].boot_id != 0 -> on_prepared(n)
  :: kind == Refused && known[n].boot_id != 0 -> on_refused(n)
  :: kind == Committed && known[n].boot_id != 0 -> on_committed(n)
  :: kind == NodeSnapshot && known[n].boot_id != 0 -> on_node_snapshot(n)
  fi
}

/* ======== faults */

inline node_crashes(n) {
  node[n].runs = 0; node[n].joined = 0;
  node[n].epoch = 0; node[n].content = 0;
  abandon(n);
  do
  :: len(to_node[n]) > 0 -> to_node[n]?_, _, _, _, _
  :: len(to_node[n]) == 0 -> break
  od
}

inline controller_crashes() {
  for (j : 0 .. NODES - 1) {
    known[j].up = 0; known[j].in_sync = 0; known[j].retry_later = 0;
    known[j].epoch = 0; known[j].digest = 0; known[j].ours = 0; known[j].kept = 0;
    known[j].boot_id = 0;
    known[j].phase = none; known[j].asked_in_vain = 0
  }
  epoch_ = 0; content_ = 0; highest_seen = 0;
  transaction = 0; committing = 0; recovering = 1; took_over = 0; asked = NODES;
  settled = 0;
  for (j : 0 .. 1) {
    neighbor[j].stale = 0; neighbor[j].stale_group = 0; neighbor[j].index = NONE
  }
  for (j : 0 .. INDICES - 1) { resting[j] = 0 }
  for (j : 0 .. EPOCHS - 1) { made[j] = NEVER }
}

/* ======== what may happen */

#define HEARD(n) (!node[n].runs || known[n].up)
#define ALL_HEARD (HEARD(0) && HEARD(1) && HEARD(2))
#define ANSWERS_NOT(n) \
  ((known[n].phase != preparing && known[n].phase != committing_) || QUIET(n))
#define WAITING (ANY_IN(preparing) || ANY_IN(committing_))
#define NOBODY_ANSWERS (ANSWERS_NOT(0) && ANSWERS_NOT(1) && ANSWERS_NOT(2))

/* A status that would tell the controller nothing new is left out. */
#define HAS_NEWS(n) \
  (!known[n].up || known[n].boot_id != node[n].boot_id || known[n].epoch != node[n].epoch || \
   known[n].digest != node[n].content || \
   (KEEPS(n) && known[n].kept != IF_MADE(node[n].kept_epoch, node[n].kept_content)) || \
   (READY && known[n].in_sync != (node[n].epoch == epoch_ && node[n].content == content_)))

/* Another FIB than that on the disk. */
#define KEEPABLE(n) \
  (KEEPS(n) && node[n].epoch != 0 && \
   (node[n].kept_epoch != node[n].epoch || node[n].kept_content != node[n].content))

/* The controller was silent: what was kept, which may be older than what it had. */
inline node_resumes(n) {
  node[n].runs = 1; node[n].boot_id++;
  node[n].epoch = node[n].kept_epoch; node[n].content = node[n].kept_content;
  check_indices()
}

inline deadline() {
  for (i : 0 .. NODES - 1) {
    if
    :: known[i].phase == preparing || known[i].phase == committing_ -> leave_behind(i)
    :: else
    fi
  }
  advance()
}

/* Nothing is left to happen but faults, changes, and starts of nodes. */
#define AT_REST(n) \
  (QUIET(n) && !known[n].retry_later && \
   (node[n].runs -> node[n].joined && !HAS_NEWS(n) && !KEEPABLE(n) : !known[n].up))
#define QUIESCENT \
  (AT_REST(0) && AT_REST(1) && AT_REST(2) && !WAITING && !RESYNCHRONISABLE && \
   !IN_VAIN && !(recovering && asked == NODES && ALL_HEARD) && !(READY && (PUBLISHABLE || !settled)))

#define HAS_CONVERGED(n) \
  (!node[n].runs || (node[n].epoch == epoch_ && node[n].content == content_ && \
                     known[n].up && known[n].in_sync))
#define CONVERGED (READY && !CHANGED && HAS_CONVERGED(0) && HAS_CONVERGED(1) && HAS_CONVERGED(2))

inline tidy() {
  i = 0; j = 0; k = 0; x = 0; e = 0; c = 0; b = 0; bc = 0; next = 0; base = 0; base_content = 0;
  least = 0; only_behind = 0; any = 0; ahead = 0; sent = 0; kind = 0
}

#define NODE_EVENTS(n) \
  :: d_step { len(to_node[n]) > 0 && node[n].runs -> node_takes(n); tidy() } \
  :: d_step { len(to_controller[n]) > 0 -> controller_takes(n); tidy() } \
  :: d_step { node[n].runs && !node[n].joined && QUIET(n) -> \
       to_controller[n]!Hello, node[n].epoch, node[n].content, node[n].boot_id, 0 } \
  :: d_step { node[n].runs && node[n].joined && QUIET(n) && !transaction && HAS_NEWS(n) -> \
       to_controller[n]!Status, node[n].epoch, node[n].content, node[n].kept_epoch, \
         node[n].kept_content } \
  :: d_step { node[n].runs && KEEPABLE(n) -> \
       node[n].kept_epoch = node[n].epoch; node[n].kept_content = node[n].content } \
  :: d_step { !node[n].runs -> node[n].runs = 1; node[n].boot_id++ } \
  :: d_step { !node[n].runs && KEEPS(n) && node[n].kept_epoch != 0 -> node_resumes(n); tidy() } \
  /* Two seconds of silence, or a start with its hello, are over before the second retry. */ \
  :: d_step { READY && known[n].retry_later && (node[n].joined || !known[n].up) -> \
       known[n].retry_later = 0 } \
  /* silent: it does not run */ \
  :: d_step { !node[n].runs && known[n].up && !transaction && QUIET(n) -> \
       known[n].up = 0; known[n].in_sync = 0 } \
  /* faults */ \
  :: d_step { faults > 0 && len(to_node[n]) > 0 -> faults--; to_node[n]?_, _, _, _, _ } \
  :: d_step { faults > 0 && len(to_controller[n]) > 0 -> faults--; to_controller[n]?_, _, _, _, _ } \
  :: d_step { faults > 0 && node[n].runs -> faults--; node_crashes(n); tidy() } \
  :: d_step { faults > 0 && node[n].runs && known[n].up && !transaction -> \
       faults--; known[n].up = 0; known[n].in_sync = 0 }

active proctype world() {
  d_step {
    for (j : 0 .. NODES - 1) {
      node[j].runs = 1; node[j].joined = 1; node[j].boot_id = 1;
      node[j].epoch = 2; node[j].content = OF_A;
      known[j].up = 1; known[j].in_sync = 1; known[j].boot_id = 1;
      known[j].epoch = 2; known[j].digest = OF_A; known[j].ours = 2;
      known[j].kept = (KEEPS(j) -> 2 : KEEPS_NOTHING);
      node[j].kept_epoch = (KEEPS(j) -> 2 : 0); node[j].kept_content = (KEEPS(j) -> OF_A : 0)
    }
    made[2] = OF_A;
    epoch_ = 2; content_ = OF_A; highest_seen = 2;
    asked = NODES;
    neighbor[0].wanted = 1; neighbor[0].index = 0; neighbor[1].index = NONE;
    settled = 1;
    tidy()
  }
end:
  do
  NODE_EVENTS(0)
  NODE_EVENTS(1)
  NODE_EVENTS(2)
  /* the kernel names a neighbour, or no longer */
  :: d_step { changes > 0 && !transaction -> changes--; neighbor[0].wanted = !neighbor[0].wanted;
       neighbor[0].stale = 0; neighbor[0].stale_group = 0 }
  :: d_step { changes > 0 && !transaction -> changes--; neighbor[1].wanted = !neighbor[1].wanted;
       neighbor[1].stale = 0; neighbor[1].stale_group = 0 }
  :: d_step { READY && PUBLISHABLE -> publish(); tidy() }
  :: d_step { !settled && READY && !PUBLISHABLE -> settled = 1;
       neighbor[0].stale = 0; neighbor[0].stale_group = 0;
       neighbor[1].stale = 0; neighbor[1].stale_group = 0 }
  /* tick(): who is behind gets a snapshot; after a recovery all get an epoch of ours */
  :: d_step { RESYNCHRONISABLE -> resynchronise(); tidy() }
  /* tick(): the deadline of a transaction; early, as a fault */
  :: d_step { transaction && WAITING && NOBODY_ANSWERS -> deadline(); tidy() }
  :: d_step { faults > 0 && transaction && WAITING && !NOBODY_ANSWERS -> faults--; deadline();
       tidy() }
  /* tick(): recovery */
  :: d_step { recovering && asked == NODES && ALL_HEARD -> recover(); tidy() }
  :: d_step { recovering && asked == NODES && !ALL_HEARD && faults > 0 -> faults--; recover();
       tidy() }
  :: d_step { IN_VAIN -> pass_over() }
  :: d_step { recovering && asked < NODES && !QUIET(asked) && faults > 0 -> faults--; pass_over() }
  :: d_step { crashes > 0 -> crashes--; controller_crashes(); tidy() }
  :: d_step { QUIESCENT && !CONVERGED -> assert(false) }
  od
}
