#include "activations/claudecode/line_splitter.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace plexus::claudecode {

class LineSplitter::Digest {
public:
    Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        [[maybe_unused]] const auto ok = EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
        assert(ok == 1);
    }
    void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
    std::string hex() {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        EVP_DigestFinal_ex(context_.get(), digest, &size);
        std::string text;
        for (unsigned i = 0; i < size; ++i)
            for (const auto nibble : {digest[i] >> 4, digest[i] & 15}) text += "0123456789abcdef"[nibble];
        return text;
    }

private:
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

LineSplitter::LineSplitter(std::size_t limit) : limit_(limit) {}
LineSplitter::~LineSplitter() = default;

std::size_t LineSplitter::held_bytes() const { return held_.capacity() + current_.capacity(); }

std::optional<Line> LineSplitter::next() {
    if (current_.capacity() > head_size) std::string().swap(current_);
    while (!chunk_.empty()) {
        const auto end = chunk_.find('\n');
        if (end == std::string_view::npos) {
            keep(std::exchange(chunk_, {}));
            break;
        }
        const auto part = chunk_.substr(0, end);
        chunk_.remove_prefix(end + 1);
        if (auto line = finish_line(part)) return line;
    }
    if (!closed_ || length_ == 0) return std::nullopt;
    return finish_line({});
}

void LineSplitter::keep(std::string_view part) {
    length_ += part.size();
    if (!digest_ && length_ <= limit_) {
        held_ += part;
        return;
    }
    if (!digest_) {
        digest_ = std::make_unique<Digest>();
        digest_->add(held_);
        held_.resize(std::min(held_.size(), head_size));
        held_.shrink_to_fit();
    }
    digest_->add(part);
    held_ += part.substr(0, head_size - held_.size());
}

std::optional<Line> LineSplitter::finish_line(std::string_view last_part) {
    const bool whole = length_ == 0 && last_part.size() <= limit_;
    if (!whole) keep(last_part);
    const auto length = std::exchange(length_, 0);
    if (const auto digest = std::move(digest_)) {
        first_ = false;
        return Line{{}, Oversize{std::exchange(held_, {}), length, digest->hex()}};
    }
    if (!whole) {
        current_ = std::exchange(held_, {});
        last_part = current_;
    }
    const auto text = trimmed(last_part);
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
    return Line{text, std::nullopt};
}

std::string_view LineSplitter::trimmed(std::string_view line) {
    if (std::exchange(first_, false) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

}  // namespace plexus::claudecode
