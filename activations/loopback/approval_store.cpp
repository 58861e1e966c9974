#include "activations/loopback/approval_store.hpp"

#include "schema/rpc.hpp"
#include "schema/sha256.hpp"

namespace plexus::loopback {

using hub::Statement;
using schema::Failure;

namespace {

#define APPROVAL_COLUMNS                                                                                  \
    "id, session_name, tool_name, tool_use_id, input, status, message, created_at, resolved_at, stream, " \
    "request"

// An unknown word in the database is no reason to let anything run.
Status read_status(const std::string& word) {
    auto status = schema::decode<Status>(Json(word));
    return status ? *status : Status::denied;
}

Approval read_approval(const hub::Row& row) {
    Approval approval;
    approval.id = row.get<Uuid>(0);
    approval.session_id = row.get<std::string>(1);
    approval.tool_name = row.get<std::string>(2);
    approval.tool_use_id = row.get<std::string>(3);
    approval.input = Json::parse(row.text(4), nullptr, false);
    approval.status = read_status(row.get<std::string>(5));
    approval.response_message = row.get<std::optional<std::string>>(6);
    approval.created_at = row.integer(7) / 1000;
    if (!row.is_null(8)) approval.resolved_at = row.integer(8) / 1000;
    approval.stream_id = row.get<Uuid>(9);
    approval.request = Json::parse(row.text(10), nullptr, false);
    return approval;
}

}  // namespace

void ApprovalStore::add(Uuid id, const hub::ToolQuestion& question, std::int64_t now_ms) {
    static const Statement insert(
        "approval_insert",
        "INSERT INTO approvals (id, session, session_name, stream, tool_name, tool_use_id, input, "
        "request, status, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9)");
    sql_.execute(insert, id, question.session, question.session_name, question.stream, question.tool_name,
                 question.tool_use_id, question.input.empty() ? "null" : question.input,
                 question.request.empty() ? "null" : question.request, now_ms);
}

std::vector<Approval> ApprovalStore::pending(const std::optional<std::string>& session) {
    static const Statement all("approval_pending",
                               "SELECT " APPROVAL_COLUMNS
                               " FROM approvals WHERE status = 'pending' ORDER BY created_at, id");
    std::vector<Approval> list;
    for (const auto& row : sql_.query(all)) {
        auto approval = read_approval(row);
        if (!session || approval.session_id == *session) list.push_back(std::move(approval));
    }
    return list;
}

Approval ApprovalStore::get(Uuid id) {
    static const Statement by_id("approval_by_id",
                                 "SELECT " APPROVAL_COLUMNS " FROM approvals WHERE id = $1");
    auto rows = sql_.query(by_id, id);
    if (!rows.next())
        throw Failure(schema::not_found("Approval not found: " + schema::to_text(id),
                                        {{"approval_id", schema::to_text(id)}}));
    return read_approval(*rows);
}

std::optional<Json> ApprovalStore::response(Uuid id) {
    static const Statement by_id("approval_response", "SELECT response FROM approvals WHERE id = $1");
    auto rows = sql_.query(by_id, id);
    if (!rows.next() || rows->is_null(0)) return std::nullopt;
    return Json::parse(rows->text(0));
}

void ApprovalStore::decide(const Decision& decision, std::int64_t now_ms) {
    const auto asked = get(decision.approval);
    const auto word = std::string(schema::Codec<Status>::name(decision.status));
    static const Statement update(
        "approval_decide",
        "UPDATE approvals SET status = $2, response = $3, message = $4, resolved_at = $5 "
        "WHERE id = $1 AND status = 'pending'");
    if (sql_.execute(update, decision.approval, word, schema::to_json_text(decision.response),
                     decision.message, now_ms) != 1)
        throw Failure(schema::failed(
            "already_resolved",
            "This approval was " + std::string(schema::Codec<Status>::name(asked.status)) + " already",
            {{"approval_id", schema::to_text(decision.approval)}, {"status", schema::encode(asked.status)}}));
    static const Statement last("audit_last", "SELECT hash FROM audit ORDER BY number DESC LIMIT 1");
    std::string previous;
    if (auto rows = sql_.query(last); rows.next()) previous = rows->get<std::string>(0);
    const auto input_hash = schema::sha256_hex(schema::to_json_text(asked.input));
    const auto hash =
        schema::sha256_hex(previous + "\n" + schema::to_text(decision.approval) + "\n" + word + "\n" +
                           decision.by.name + "\n" + decision.by.peer + "\n" + input_hash + "\n" +
                           decision.message.value_or("") + "\n" + std::to_string(now_ms));
    static const Statement insert(
        "audit_insert",
        "INSERT INTO audit (at, approval, decision, credential, peer, tool_name, input_hash, "
        "message, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    sql_.execute(insert, now_ms, decision.approval, word, decision.by.name, decision.by.peer, asked.tool_name,
                 input_hash, decision.message, previous, hash);
}

bool ApprovalStore::cancel(Uuid id, std::int64_t now_ms) {
    static const Statement update("approval_cancel",
                                  "UPDATE approvals SET status = 'cancelled', resolved_at = $2 "
                                  "WHERE id = $1 AND status = 'pending'");
    return sql_.execute(update, id, now_ms) == 1;
}

std::int64_t ApprovalStore::cancel_all(std::int64_t now_ms) {
    static const Statement update("approval_cancel_all",
                                  "UPDATE approvals SET status = 'cancelled', resolved_at = $1 "
                                  "WHERE status = 'pending'");
    return sql_.execute(update, now_ms);
}

}  // namespace plexus::loopback
